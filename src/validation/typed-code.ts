/** More than this is no code, however many blanks a user typed in it. */
export const MAX_TYPED_CODE_LENGTH = 64;

/** The zeros of the digits that keyboards type: Arabic-Indic, Persian, Devanagari. NFKC brings full-width forms to ASCII. */
const ZEROS = ['٠', '۰', '०'].map((zero) => zero.charCodeAt(0));

/** Blanks, hyphens of every kind, and what cannot be seen, such as the marks that come along with a text in Arabic. */
const LEFT_OUT = /[\s\p{Dash}\p{Cf}]/gu;

/** A code as the service compares it, whatever the keyboard: ASCII without blanks and hyphens. */
export function typedCode(text: string): string {
  if (text.length > MAX_TYPED_CODE_LENGTH) return text;
  return text
    .normalize('NFKC')
    .replace(LEFT_OUT, '')
    .replace(/\p{Nd}/gu, asciiDigit);
}

/** The same for a code in Crockford's Base32: in capitals, with a zero for an O, and a one for an I or L. */
export function typedBase32(text: string): string {
  return typedCode(text).toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1');
}

function asciiDigit(digit: string): string {
  const values = ZEROS.map((zero) => digit.charCodeAt(0) - zero);
  return String(values.find((value) => value >= 0 && value <= 9) ?? digit);
}
