export const MAX_NAME_CODE_POINTS = 200;

/** Control characters, ends of lines, and the signs that turn the text around a name (UAX #9). */
const TURNS = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Flags of regions are a black flag, tags, and the tag that ends them (UTS #51). */
const FLAGS = /\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}/gu;

/**
 * Signs that show nothing, except joiners and selectors of a variant: Persian and Hindi are spelled with them, and emoji
 * are made of them. With one within, two names would look the same, and the owner could not type the name to confirm it.
 */
const HIDES = /(?!\u200c|\u200d|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u;

/** A mark without a letter before it: it would be drawn over what stands before the name, or over a blank. */
const LONE_MARK = /(^|\p{Z})(?![\ufe00-\ufe0f])\p{M}/u;

/** Something that a reader sees. The blank pattern of Braille and the fillers of Hangul are letters that show nothing. */
const SHOWS = /[^\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * The form in which a name of a person, an organization or a thing is stored: without outer whitespace. Returns null for a
 * text that cannot be one: it is one line of at most 200 characters, of which at least one shows and none turns or hides, and no
 * mark stands alone.
 */
export function canonicalName(text: string): string | null {
  const name = text.trim();
  const isShort = name.length <= MAX_NAME_CODE_POINTS * 2 && [...name].length <= MAX_NAME_CODE_POINTS;
  const isVisible = SHOWS.test(name) && !HIDES.test(name.replace(FLAGS, '')) && !LONE_MARK.test(name);
  return isShort && name.isWellFormed() && isVisible && !TURNS.test(name) ? name : null;
}
