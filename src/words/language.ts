import { isTimeZone } from '../validation/locale.js';
import { type CompiledLanguage, type Formats, say, type Value } from './say.js';
import type { Given, Word } from './words.js';

/** What texts say the same everywhere. */
export interface Constants {
  /** The name of the product. */
  product: string;
  /** Where to ask. */
  support: string;
}

/** A language that the service speaks. */
export class Language implements Formats {
  private numbers: Intl.NumberFormat | undefined;
  private plurals: Intl.PluralRules | undefined;
  private readonly moments = new Map<string | null, Intl.DateTimeFormat>();

  constructor(
    private readonly compiled: CompiledLanguage,
    private readonly constants: Constants,
    /** The tag that numbers and dates are written by. */
    private readonly formats: string = compiled.tag,
    private readonly timeZone: string | null = null,
  ) {}

  get tag(): string {
    return this.compiled.tag;
  }

  get name(): string {
    return this.compiled.name;
  }

  get direction(): 'ltr' | 'rtl' {
    return this.compiled.direction;
  }

  /** The same words, with numbers and dates as a tag of the language and a time zone have them. */
  writtenAs(formats: string, timeZone: string | null): Language {
    if (formats === this.formats && timeZone === this.timeZone) return this;
    return new Language(this.compiled, this.constants, formats, timeZone);
  }

  /** The text of a word, with the values that it takes. */
  say<W extends Word>(word: W, ...[given]: ValuesOf<W>): string {
    const text = this.compiled.texts[word] ?? '';
    return say(text, { ...this.constants, ...given } as Record<string, Value>, this);
  }

  number(count: number): string {
    this.numbers ??= new Intl.NumberFormat(this.formatsTag());
    return this.numbers.format(count);
  }

  /**
   * An instant, such as `21 November 2026 at 13:30 UTC`, or with the offset of a zone: `21 November 2026 at 22:30 GMT+9`. A zone
   * without an offset at that instant is written as UTC is.
   */
  moment(instant: Date): string {
    const zone = this.zoneAt(instant);
    const format = this.moments.get(zone) ?? this.momentsIn(zone);
    this.moments.set(zone, format);
    const text = format.format(instant);
    return zone === null ? `${text} UTC` : text;
  }

  private momentsIn(zone: string | null): Intl.DateTimeFormat {
    return new Intl.DateTimeFormat(this.formatsTag(), {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      ...(zone === null ? { timeZone: 'UTC' } : { timeZone: zone, timeZoneName: 'shortOffset' }),
    } as Intl.DateTimeFormatOptions);
  }

  /** The time zone of the reader; null where it is not known, or the hours are those of UTC. */
  private zoneAt(instant: Date): string | null {
    if (this.timeZone === null || !isTimeZone(this.timeZone)) return null;
    const format = { timeZone: this.timeZone, timeZoneName: 'longOffset' } as Intl.DateTimeFormatOptions;
    return /GMT(\+00:00)?$/.test(new Intl.DateTimeFormat('en', format).format(instant))
      ? null
      : this.timeZone;
  }

  /** What this language calls a language. */
  nameOf(tag: string): string {
    return new Intl.DisplayNames(this.compiled.tag, { type: 'language' }).of(tag) ?? tag;
  }

  plural(count: number): string {
    this.plurals ??= new Intl.PluralRules(this.compiled.tag);
    return this.plurals.select(count);
  }

  /** Without a region, English writes a day before its month, as most of its readers do. */
  private formatsTag(): string {
    return this.formats === 'en' ? 'en-GB' : this.formats;
  }
}

/** A word that takes no values is said without any. */
type ValuesOf<W extends Word> = [Given[W]] extends [never] ? [] : [given: Given[W]];
