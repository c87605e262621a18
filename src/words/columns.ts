/** Letters that take the place of two: Chinese, Japanese and Korean ones, their punctuation, and pictures. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;

/** What stands on a letter, or is not seen. Half of a wide letter (U+FF61 to U+FFDC) is a letter of one column. */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;
const HALF = /[\uff61-\uffdc]/u;

/** How much room a text takes, in letters of the Latin alphabet. */
export function columnsOf(text: string): number {
  return [...text].reduce((sum, letter) => sum + columnsOfLetter(letter), 0);
}

function columnsOfLetter(letter: string): number {
  if (WITHOUT_WIDTH.test(letter)) return 0;
  return WIDE.test(letter) && !HALF.test(letter) ? 2 : 1;
}
