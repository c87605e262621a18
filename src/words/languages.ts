import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import type { Finding } from '../config/preflight/finding.js';
import { canonicalLocale } from '../validation/locale.js';
import { Language } from './language.js';
import { SOURCE } from './language-file.js';
import { lookup } from './lookup.js';
import type { OwnWords } from './own-words.js';
import { plainName } from './plain-name.js';
import { PSEUDO_TAGS } from './pseudo.js';
import { readLanguage, shippedLanguages, shippedTags } from './read-language.js';
import type { CompiledLanguage } from './say.js';
import { Word } from './words.js';

/** Who reads a text of ours: what decides its language, and its hours. */
export interface Reader {
  /** The language that they chose, or came with. */
  locale: string | null;
  /** That of the organization which it is about, or which they belong to. */
  orgLocale?: string | null | undefined;
  /** Of the IANA database. Without one the hours are those of UTC. */
  timeZone?: string | null | undefined;
}

/** A person of whom nothing is known. */
export const ANYBODY: Reader = { locale: null };

/** The languages that the service speaks. */
export class Languages {
  readonly all: readonly Language[];

  /** Their tags, that of the default first. */
  readonly tags: readonly string[];

  /** That of readers of whom nothing else is known. */
  readonly default: Language;

  private readonly byTag: ReadonlyMap<string, Language>;

  constructor([first, ...others]: readonly [Language, ...Language[]]) {
    this.default = first;
    this.all = [first, ...others];
    this.tags = this.all.map(({ tag }) => tag);
    this.byTag = new Map(this.all.map((language) => [language.tag, language]));
  }

  /**
   * Reads the languages that `SVC_LOCALES` names; in `dev`, where it names none, all that there are.
   *
   * @throws OperatorError when one of them has no words.
   */
  static async read(environment: Environment, own: OwnWords): Promise<Languages> {
    const named = await namedLanguages(environment, own);
    const languages = await Promise.all(
      named.map(async (tag) => {
        const ours = await readLanguage(own.foundationOf(tag));
        return languageOf(own.over(tag, ours, SERVICE_KEYS), environment);
      }),
    );
    const [first, ...others] = languages;
    return new Languages([first as Language, ...others]);
  }

  /** The language of the first range that one matches; null when none does. */
  find(ranges: readonly string[]): Language | null {
    const tag = lookup(ranges, this.tags);
    return tag === null ? null : (this.byTag.get(tag) as Language);
  }

  /** The first of some ranges that is of a language we speak, as the tag to keep; null when none is. */
  keep(ranges: readonly string[]): string | null {
    const range = ranges.find((each) => lookup([each], this.tags) !== null);
    if (range === undefined) return null;
    return range === '*' ? this.default.tag : canonicalLocale(range);
  }

  /**
   * The language to write to somebody in. A tag that is no longer served falls through to the next one. The words go by the language,
   * and the formats by the whole tag: a reader of `de-CH` gets German words and the numbers of Zurich.
   */
  for({ locale, orgLocale = null, timeZone = null }: Reader): Language {
    for (const tag of [locale, orgLocale]) {
      const language = tag === null ? null : this.find([tag]);
      if (language !== null) return language.writtenAs(tag as string, timeZone);
    }
    return this.default.writtenAs(this.default.tag, timeZone);
  }
}

/** The tags to serve, the default first. */
async function namedLanguages({ environment, locales }: Environment, own: OwnWords): Promise<string[]> {
  const known = [...(await shippedTags()), ...own.tags, ...(environment === 'dev' ? PSEUDO_TAGS : [])];
  const named = locales ?? (environment === 'dev' ? known : [SOURCE]);
  const unknown = named.filter((tag) => !known.includes(tag));
  if (unknown.length > 0)
    throw new OperatorError({
      code: 'LANGUAGE_UNKNOWN',
      severity: 'error',
      text: `SVC_LOCALES names ${unknown.join(', ')}, of which there are no words.`,
      fix: `Name some of ${known.join(', ')}.`,
    });
  return named;
}

/** What an operator should know of the languages that are served, and of the words of a product. */
export async function wordFindings(environment: Environment, own: OwnWords): Promise<Finding[]> {
  if (environment.environment === 'dev') return own.warnings;
  const [named, shipped] = [await namedLanguages(environment, own), await shippedLanguages()];
  const unread = shipped.filter(({ tag, state }) => named.includes(tag) && state === 'machine');
  const unreviewed = unread.map(
    ({ tag, name }): Finding => ({
      code: 'LANGUAGE_UNREVIEWED',
      severity: 'warning',
      text: `SVC_LOCALES names ${tag}: nobody who speaks ${name} has answered for its texts yet.`,
      fix: 'Have somebody read npm run words -- review, and sign it, or take it out of SVC_LOCALES.',
    }),
  );
  return [...unreviewed, ...own.warnings];
}

/** The keys of what the service says, by the places of its texts. */
const SERVICE_KEYS = Object.values(Word).filter((key) => typeof key === 'string');

/** A compiled language, with what its texts say of the product. */
export function languageOf(compiled: CompiledLanguage, environment: Environment): Language {
  return new Language(compiled, {
    product: plainName(environment.productName),
    support: environment.supportEmail ?? '',
  });
}
