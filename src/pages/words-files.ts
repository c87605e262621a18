import { createHash } from 'node:crypto';
import { type Catalogue, soundLanguage } from '../words/compile.js';
import type { PageWords } from '../words/say.js';

/** How sources name a text of the catalogue. */
const MENTION = /\bWord\['([\w.]+)'\]/g;

/** A file of words: its name has a hash of its content in it. */
export interface WordsFile {
  name: string;
  content: Buffer;
}

/** The words that pages load, by the texts of their sources. */
export class WordsFiles {
  private constructor(
    private readonly pages: Catalogue,
    /** The acts of the audit log by their types, which a page loads late, because few visitors see them. */
    readonly acts: WordsFile,
  ) {}

  /**
   * Compiles the catalogue.
   *
   * @throws Error when a text has a fault.
   */
  static async read(): Promise<WordsFiles> {
    const [pages, acts] = await Promise.all([soundLanguage('en', 'pages'), soundLanguage('en', 'acts')]);
    const byType = acts.keys.map((key, index) => [key.replace('act.', ''), acts.language.texts[index]]);
    return new WordsFiles(pages, fileOf('acts', acts.language.tag, Object.fromEntries(byType)));
  }

  /** The file for the page of some sources: what they do not mention is a mere 0 in its place, and weighs next to nothing. */
  of(page: string, sources: string[]): WordsFile {
    const mentioned = new Set(
      sources.flatMap((source) => [...source.matchAll(MENTION)].map(([, key]) => key)),
    );
    const { tag, direction, texts } = this.pages.language;
    const own = this.pages.keys.map((key, word) => (mentioned.has(key) ? texts[word] : 0));
    const content: PageWords = { tag, direction, acts: this.acts.name, texts: own as PageWords['texts'] };
    return fileOf(page, tag, content);
  }
}

function fileOf(name: string, tag: string, words: object): WordsFile {
  const content = Buffer.from(JSON.stringify(words));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  return { name: `${name}-words-${tag}-${hash}.json`, content };
}
