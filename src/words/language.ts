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
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  private readonly texts: CompiledLanguage['texts'];
  private readonly numbers: Intl.NumberFormat;
  private readonly plurals: Intl.PluralRules;
  private readonly moments: Intl.DateTimeFormat;

  constructor(
    { tag, direction, texts }: CompiledLanguage,
    private readonly constants: Constants,
  ) {
    this.tag = tag;
    this.direction = direction;
    this.texts = texts;
    // Without a region, English writes a day before its month, as most of its readers do.
    const formats = tag === 'en' ? 'en-GB' : tag;
    this.numbers = new Intl.NumberFormat(formats);
    this.plurals = new Intl.PluralRules(formats);
    this.moments = new Intl.DateTimeFormat(formats, {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: 'UTC',
    });
  }

  /** The text of a word, with the values that it takes. */
  say<W extends Word>(word: W, ...[given]: ValuesOf<W>): string {
    return say(this.texts[word] ?? '', { ...this.constants, ...given } as Record<string, Value>, this);
  }

  number(count: number): string {
    return this.numbers.format(count);
  }

  /** An instant, such as `21 November 2026 at 13:30 UTC`. */
  moment(instant: Date): string {
    return `${this.moments.format(instant)} UTC`;
  }

  plural(count: number): string {
    return this.plurals.select(count);
  }
}

/** A word that takes no values is said without any. */
type ValuesOf<W extends Word> = [Given[W]] extends [never] ? [] : [given: Given[W]];
