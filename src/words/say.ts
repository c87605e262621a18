/** A text of the catalogue as the build writes it: words, and between them the places of values. */
export type Text = string | Part[];

export type Part =
  | string
  | [name: string]
  | [name: string, as: 'number' | 'moment']
  | [name: string, by: 'plural' | 'select', cases: Record<string, Text>]
  | [name: string, as: 'slot', inner: Text];

export type Value = string | number | Date;

/** What stands around a part of a text, such as `<strong>`. */
export type Slot<Piece> = (inner: (string | Piece)[]) => Piece;

/** Texts of a language as the build writes them. */
export interface CompiledTexts {
  /** A BCP 47 tag. */
  tag: string;
  direction: 'ltr' | 'rtl';
  /** The texts, by their words. */
  texts: Text[];
}

/** A language as the service reads it. */
export interface CompiledLanguage extends CompiledTexts {
  /** What it calls itself. */
  name: string;
  /** Whether a person has read what a machine may have written. */
  state: 'machine' | 'reviewed';
}

/** The words of a page, which has a 0 in the place of each word that it does not say. */
export interface PageWords extends CompiledTexts {
  /** The problems that are said where nothing more can be fetched, by their codes. */
  problems: Record<string, Text>;
  /**
   * The names of the files, beside that of the words, that a page loads late: all problems, the acts of the audit log, and the words
   * of parts that few visitors see.
   */
  late: { problems: string; acts: string; parts: string };
}

/** How a language writes values. */
export interface Formats {
  direction: 'ltr' | 'rtl';
  number(count: number): string;
  moment(instant: Date): string;
  /** Which case of a plural counts for a number. */
  plural(count: number): string;
}

/**
 * What a text would turn around, or be turned around by. Unicode keeps these blocks for scripts that are read from right to left.
 * Digits are weak, but those of an address such as `::1` change places in a text that is read so.
 */
const FOREIGN = {
  ltr: /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u,
  rtl: /(?![\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}])[\p{L}\p{N}]/u,
};

/** A text with its values. A value is never read as a text, and where it has another direction, it is isolated. */
export function say(text: Text, given: Record<string, Value>, formats: Formats): string {
  return pieces(text, given, formats, (value) => isolated(String(value), formats)).join('');
}

/** A value as a text holds it: between FSI and PDI where the order of what stands around would change without (UAX #9). */
export function isolated(value: string, { direction }: Pick<Formats, 'direction'>): string {
  return FOREIGN[direction].test(value) ? `\u2068${value}\u2069` : value;
}

/** A text in pieces: its words, and between them its values as `put` shows them. */
export function pieces<Piece>(
  text: Text,
  given: Record<string, unknown>,
  formats: Formats,
  put: (value: unknown) => Piece,
): (string | Piece)[] {
  if (typeof text === 'string') return [text];
  return text.flatMap((part) => {
    if (typeof part === 'string') return part;
    const [name, as, inner = ''] = part;
    const value = given[name];
    if (as === 'number') return formats.number(value as number);
    if (as === 'moment') return formats.moment(value as Date);
    if (as === undefined) return [put(value)];
    if (as === 'slot') return [(value as Slot<Piece>)(pieces(inner as Text, given, formats, put))];
    const cases = inner as Record<string, Text>;
    const chosen =
      cases[`=${value}`] ?? cases[as === 'plural' ? formats.plural(value as number) : String(value)];
    return pieces(chosen ?? cases.other ?? '', given, formats, put);
  });
}
