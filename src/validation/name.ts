export const MAX_NAME_CODE_POINTS = 200;

/** Control characters, and the signs that turn the text around a name (UAX #9). */
const TURNS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Signs of no width, but for the joiners (Persian and Hindi are spelled with them) and the tags (flags are made of them).
 * With one within, two names would look the same, and nobody could type the name that is to be confirmed.
 */
const HIDES = /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])(?=\p{Default_Ignorable_Code_Point})\p{Cf}/u;

/** Something that a reader sees. The blank pattern of Braille and the fillers of Hangul are letters that show nothing. */
const SHOWS = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The form in which a name of a person, an organization or a thing is stored: without outer whitespace. Returns null for a
 * text that cannot be one: it is one line of at most 200 characters, of which at least one shows and none turns or hides.
 */
export function canonicalName(text: string): string | null {
  const name = text.trim();
  const isShort = name.length <= MAX_NAME_CODE_POINTS * 2 && [...name].length <= MAX_NAME_CODE_POINTS;
  return isShort && name.isWellFormed() && SHOWS.test(name) && !TURNS.test(name) && !HIDES.test(name)
    ? name
    : null;
}
