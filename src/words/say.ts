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

/** A language as the build writes it. */
export interface CompiledLanguage {
  /** A BCP 47 tag. */
  tag: string;
  direction: 'ltr' | 'rtl';
  /** The texts, by their words. */
  texts: Text[];
}

/** The words of a page, which has a 0 in the place of each word that it does not say. */
export interface PageWords extends CompiledLanguage {
  /** The name of the file with the acts of the audit log, beside that of the words. */
  acts: string;
}

/** How a language writes values. */
export interface Formats {
  number(count: number): string;
  moment(instant: Date): string;
  /** Which case of a plural counts for a number. */
  plural(count: number): string;
}

/** A text with its values. A value is put in as it is, and is never read as a text. */
export function say(text: Text, given: Record<string, Value>, formats: Formats): string {
  return pieces<string>(text, given, formats, String).join('');
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
