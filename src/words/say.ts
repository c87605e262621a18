/** A text of the catalogue as the build writes it: words, and between them the places of values. */
export type Text = string | Part[];

export type Part =
  | string
  | [name: string]
  | [name: string, as: 'number' | 'moment']
  | [name: string, by: 'plural' | 'select', cases: Record<string, Text>];

export type Value = string | number | Date;

/** A language as the build writes it. */
export interface CompiledLanguage {
  /** A BCP 47 tag. */
  tag: string;
  direction: 'ltr' | 'rtl';
  /** The texts, by their words. */
  texts: Text[];
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
  if (typeof text === 'string') return text;
  return text.map((part) => (typeof part === 'string' ? part : written(part, given, formats))).join('');
}

function written(part: Exclude<Part, string>, given: Record<string, Value>, formats: Formats): string {
  const [name, as, cases = {}] = part;
  const value = given[name] as Value;
  switch (as) {
    case undefined:
      return String(value);
    case 'number':
      return formats.number(value as number);
    case 'moment':
      return formats.moment(value as Date);
    case 'plural':
      return say(cases[`=${value}`] ?? cases[formats.plural(value as number)] ?? '', given, formats);
    case 'select':
      return say(cases[value as string] ?? cases.other ?? '', given, formats);
  }
}
