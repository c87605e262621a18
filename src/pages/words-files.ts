import { createHash } from 'node:crypto';
import { type Catalogue, soundLanguage } from '../words/compile.js';
import { languageTags, type Volume } from '../words/language-file.js';
import type { KnownProblem } from '../words/page-words.js';
import { inPseudo, isPseudo, PSEUDO_TAGS } from '../words/pseudo.js';
import type { CompiledTexts, PageWords, Text } from '../words/say.js';

/** What a page says where it can fetch nothing more. */
const AT_ONCE: KnownProblem[] = ['InternalError', 'Unreachable'];

/** How sources name a text of the catalogue. */
const MENTION = /\bWord\['([\w.]+)'\]/g;

/**
 * A file of words. Its name has two hashes in it: that of its catalogue, which is which texts it has, in which order and with
 * which values, and that of its content.
 */
export interface WordsFile {
  name: string;
  content: Buffer;
}

/** The words that pages load in a language, by the texts of their sources. */
export class WordsFiles {
  private constructor(
    private readonly pages: Catalogue,
    private readonly problems: Record<string, Text>,
    /**
     * What pages load late: the problems by their codes, the acts of the audit log by their types, and the words of parts that few
     * visitors see.
     */
    readonly late: { problems: WordsFile; acts: WordsFile; parts: WordsFile },
  ) {}

  /**
   * Compiles the catalogue of a language; `lateSources` are those of the parts that few visitors see.
   *
   * @throws Error when a text has a fault.
   */
  static async read(tag: string, lateSources: string[]): Promise<WordsFiles> {
    const [pages, problems, acts] = await Promise.all([
      catalogueOf(tag, 'pages'),
      catalogueOf(tag, 'problems'),
      catalogueOf(tag, 'acts'),
    ]);
    return new WordsFiles(pages, byName(problems), {
      problems: fileOf('problems', tag, problems.keys, byName(problems)),
      acts: fileOf('acts', tag, acts.keys, byName(acts)),
      parts: fileOf('parts', tag, ...saidBy(pages, lateSources)),
    });
  }

  /** The file for the page of some sources: what they do not mention is a mere 0 in its place, and weighs next to nothing. */
  of(page: string, sources: string[]): WordsFile {
    const [catalogue, texts] = saidBy(this.pages, sources);
    const { problems, acts, parts } = this.late;
    const content: PageWords = {
      ...texts,
      late: { problems: problems.name, acts: acts.name, parts: parts.name },
      problems: Object.fromEntries(AT_ONCE.map((code) => [code, this.problems[code] ?? ''])),
    };
    return fileOf(page, texts.tag, catalogue, content);
  }
}

/** The languages that pages can be served in, also those that only `dev` serves. */
export async function everyTag(): Promise<string[]> {
  return [...(await languageTags()), ...PSEUDO_TAGS];
}

async function catalogueOf(tag: string, volume: Volume): Promise<Catalogue> {
  if (!isPseudo(tag)) return soundLanguage(tag, volume);
  const english = await soundLanguage('en', volume);
  return { ...english, language: inPseudo(english.language, tag) };
}

/** The texts of a volume by the names that the service knows them by: `act.logout` is `logout`. */
function byName({ keys, language: { texts } }: Catalogue): Record<string, Text> {
  return Object.fromEntries(keys.map((key, index) => [key.slice(key.indexOf('.') + 1), texts[index] ?? '']));
}

/** What some sources mention of a catalogue, and its texts in their places. */
function saidBy(
  { keys, given, language: { tag, direction, texts } }: Catalogue,
  sources: string[],
): [mentions: unknown[], texts: CompiledTexts] {
  const mentioned = new Set(sources.flatMap((source) => [...source.matchAll(MENTION)].map(([, key]) => key)));
  const own = keys.map((key, word) => (mentioned.has(key) ? (texts[word] as Text) : 0)) as Text[];
  return [keys.map((key, word) => mentioned.has(key) && [key, given[word]]), { tag, direction, texts: own }];
}

function fileOf(page: string, tag: string, catalogue: unknown[], words: object): WordsFile {
  const content = Buffer.from(JSON.stringify(words));
  const hashes = [JSON.stringify(catalogue), content].map(hashOf);
  return { name: `${[page, 'words', tag, ...hashes].join('-')}.json`, content };
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 8);
}
