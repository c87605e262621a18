import { access, constants, lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import type { Finding } from '../config/preflight/finding.js';
import { packageFolder } from '../config/version.js';
import { canonicalLocale } from '../validation/locale.js';
import { nameFaults } from './file-faults.js';
import { readLanguageFile, SOURCE, type SourceFile } from './language-file.js';
import { lookup } from './lookup.js';
import type { KnownProblem, Word as PageWord } from './page-words.js';
import { shippedTags } from './read-language.js';
import type { CompiledLanguage, CompiledTexts, Text } from './say.js';
import type { Word } from './words.js';

const MAX_FILES = 20;
const MAX_BYTES = 256 * 1024;

/** So far may a key be from one that exists for the message to name that. */
const NEAR = 3;

/** A key of a text, such as `login.title`. */
type MessageKey = keyof typeof Word | keyof typeof PageWord | `problem.${KnownProblem}` | `act.${string}`;

/** Texts of a product in the same process, by language and key. */
export type OwnMessages = Readonly<Record<string, Readonly<Partial<Record<MessageKey, string>>>>>;

/** What a product says in a language in place of our texts. */
interface OwnLanguage {
  texts: ReadonlyMap<string, Text>;
  /** Of a language that we do not ship: what it is called, and which of ours says what it does not. */
  foundation?: Pick<CompiledLanguage, 'tag' | 'name' | 'direction'> & { under: string };
}

/** A file of the folder, or what `serve` was given, as it was written. */
interface Source {
  /** How faults name it. */
  name: string;
  tag: string;
  words: Record<string, unknown>;
  language?: string;
  languageName?: string;
  direction?: 'ltr' | 'rtl';
}

/** The words of a product, over ours. */
export class OwnWords {
  static readonly NONE = new OwnWords(new Map(), []);

  constructor(
    private readonly languages: ReadonlyMap<string, OwnLanguage>,
    /** What an operator should know of them. */
    readonly warnings: Finding[],
  ) {}

  /**
   * Reads the words of `SVC_MESSAGES_DIR`, and those of a product in the same process, over which the folder wins.
   *
   * @throws OperatorError when one of them has a fault; it names all faults.
   */
  static async read(
    { environment, messagesDir: folder }: Pick<Environment, 'environment' | 'messagesDir'>,
    messages: OwnMessages = {},
  ): Promise<OwnWords> {
    if (folder === undefined && Object.keys(messages).length === 0) return OwnWords.NONE;
    const faults: Finding[] = [];
    if (folder !== undefined) faults.push(...(await unreadable(folder)));
    if (folder !== undefined && faults.length === 0 && environment !== 'dev')
      faults.push(...(await exposed(folder)));
    const ofProduct = Object.entries(messages).map(([tag, words]) => ({
      name: `messages.${tag}`,
      tag,
      words,
    }));
    const ofFolder = folder === undefined ? [] : await filesOf(folder, faults);
    const { languages, warnings } = await checked([...ofProduct, ...ofFolder], faults);
    const [first, ...others] = faults;
    if (first !== undefined)
      throw new OperatorError({
        ...first,
        text: [first, ...others].map(({ text }) => text).join('\n'),
      });
    return new OwnWords(languages, warnings);
  }

  /** The tags of the languages that only the product has. */
  get tags(): string[] {
    return [...this.languages].filter(([, { foundation }]) => foundation).map(([tag]) => tag);
  }

  /** Whether the product says something in a language. */
  has(tag: string): boolean {
    return this.languages.has(tag);
  }

  /** Which of our languages says what a language of the product does not; the language itself where it is one of ours. */
  foundationOf(tag: string): string {
    return this.languages.get(tag)?.foundation?.under ?? tag;
  }

  /** Texts by names that are keys behind a prefix, such as those of problems behind `problem.`, with those of the product. */
  overNamed(tag: string, ours: Record<string, Text>, prefix: string): Record<string, Text> {
    const own = this.languages.get(tag)?.texts;
    const named = Object.entries(ours).map(([name, text]) => [name, own?.get(prefix + name) ?? text]);
    return Object.fromEntries(named);
  }

  /** A language of ours with the texts of the product, whose places `keys` tells. */
  over<T extends CompiledTexts & Partial<CompiledLanguage>>(
    tag: string,
    ours: T,
    keys: readonly string[],
  ): T {
    const own = this.languages.get(tag);
    if (own === undefined) return ours;
    const { under: _, ...head } = own.foundation ?? { under: tag };
    // A 0 stands where a page does not say the text.
    const texts = ours.texts.map((text, place) => text && (own.texts.get(keys[place] ?? '') ?? text));
    return { ...ours, ...head, texts };
  }
}

/** Where English stands as it was written. In a build it stands beside what is compiled of it. */
export function readEnglish(): Promise<SourceFile> {
  const built = join(packageFolder(), 'dist/words/source');
  return readLanguageFile<SourceFile>(SOURCE, import.meta.filename.endsWith('.js') ? built : undefined);
}

/** A folder that is not there would leave the product without its words, and nobody would learn why. */
async function unreadable(folder: string): Promise<Finding[]> {
  const reason = await readdir(folder).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code,
  );
  return reason === null
    ? []
    : [faulty(`SVC_MESSAGES_DIR names ${folder}, which cannot be read (${reason}).`)];
}

/** What of a folder others can write, who would then send mails in the name of the product. */
async function exposed(named: string): Promise<Finding[]> {
  // Of a link to the folder, nothing would tell who can write what it leads to.
  const folder = await realpath(named);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const open: string[] = [];
  for (const path of [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))]) {
    const status = await lstat(path);
    const isOpen = status.isSymbolicLink()
      ? !(await staysIn(folder, path))
      : (status.mode & 0o022) !== 0 && !(await isMountedReadOnly(path));
    if (isOpen) open.push(path);
  }
  return open.map((path) => ({
    code: 'MESSAGES_WRITABLE',
    severity: 'error',
    text: `${path} can be written by its group or by everybody, or leads out of SVC_MESSAGES_DIR.`,
    fix: 'Who writes there sends mails in your name: chmod -R go-w, and put files in place of links.',
  }));
}

/** Kubernetes mounts the volume of a ConfigMap so, and gives everybody the right to write in it nevertheless. */
function isMountedReadOnly(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EROFS',
  );
}

/** Whether what a path leads to is within a folder: volumes of Kubernetes link each file to a folder beside it. */
export async function staysIn(folder: string, link: string): Promise<boolean> {
  const way = relative(folder, await realpath(link));
  // Those folders are called `..2026_11_26`.
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function filesOf(folder: string, faults: Finding[]): Promise<Source[]> {
  const names = await readdir(join(folder, 'words')).catch(() => [] as string[]);
  const files = names.filter((name) => name.endsWith('.json')).sort();
  if (files.length > MAX_FILES) faults.push(faulty(`${folder}/words has more than ${MAX_FILES} files.`));
  const sources: Source[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const name = `words/${file}`;
    try {
      if ((await stat(join(folder, name))).size > MAX_BYTES)
        throw new Error(`it is larger than ${MAX_BYTES} bytes`);
      const content = await readFile(join(folder, name), 'utf8');
      const { words, language, name: languageName, direction } = JSON.parse(content);
      if (typeof words !== 'object' || words === null) throw new Error('it has no "words"');
      sources.push({ name, tag: file.slice(0, -'.json'.length), words, language, languageName, direction });
    } catch (error) {
      faults.push(faulty(`${name}: ${(error as Error).message}.`));
    }
  }
  return sources;
}

async function checked(sources: Source[], faults: Finding[]) {
  // Loaded only here: where nobody has words of their own, nothing needs a parser.
  const [{ compile }, { TranslationCompiler }] = await Promise.all([
    import('./compile.js'),
    import('./translation-compiler.js'),
  ]);
  const [english, shipped] = [await readEnglish(), await shippedTags()];
  const texts = new TranslationCompiler(english, compile(english), true);
  const languages = new Map<string, OwnLanguage>();
  const warnings: Finding[] = [];
  for (const source of sources) {
    const { name, tag, words } = source;
    if (canonicalLocale(tag) !== tag) {
      faults.push(faulty(`${name}: ${tag} is no tag of a language, such as de or pt-BR.`));
      continue;
    }
    const isOurs = shipped.includes(tag);
    if (!isOurs && (!source.languageName || !['ltr', 'rtl'].includes(source.direction ?? '')))
      faults.push(
        faulty(`${name}: a language that is not shipped needs a "name", and "direction" ltr or rtl.`),
      );
    if (!isOurs && source.languageName)
      for (const fault of nameFaults(source.languageName)) faults.push(faulty(`${name}: ${fault}.`));
    const own = new Map(languages.get(tag)?.texts);
    for (const [key, text] of Object.entries(words)) {
      if (english.words[key] === undefined) warnings.push(unknownKey(name, key, Object.keys(english.words)));
      else
        own.set(
          key,
          texts.compile(tag, key, text, (fault) => faults.push(faulty(`${name}, ${key}: ${fault}.`))),
        );
    }
    const missing = Object.keys(english.words).length - own.size;
    const under = lookup([tag], shipped) ?? SOURCE;
    if (!isOurs && missing > 0) warnings.push(incomplete(name, missing, under));
    const foundation = isOurs
      ? undefined
      : { tag, name: source.languageName ?? tag, direction: source.direction ?? 'ltr', under };
    languages.set(tag, { texts: own, ...(foundation && { foundation }) });
  }
  for (const [tag, { texts: own, foundation }] of languages) {
    const below = foundation && languages.get(foundation.under);
    if (below) languages.set(tag, { foundation, texts: new Map([...below.texts, ...own]) });
  }
  return { languages, warnings };
}

function faulty(text: string): Finding {
  const fix = 'npm run cli -- messages check names all faults before a deployment.';
  return { code: 'MESSAGE_FAULTY', severity: 'error', text, fix };
}

function incomplete(name: string, count: number, under: string): Finding {
  return {
    code: 'MESSAGES_MISSING',
    severity: 'warning',
    text: `${name} lacks ${count} texts, which are said in the language ${under}.`,
    fix: 'npm run cli -- messages list prints all of them.',
  };
}

/** An upgrade that drops a text must not stop the start. */
function unknownKey(name: string, key: string, keys: string[]): Finding {
  const [nearest] = keys
    // What differs more in length is further away, and a key may have any length.
    .filter((each) => Math.abs(each.length - key.length) <= NEAR)
    .map((each) => ({ each, distance: distance(each, key) }))
    .filter(({ distance: steps }) => steps <= NEAR)
    .sort((one, other) => one.distance - other.distance);
  return {
    code: 'MESSAGE_UNKNOWN',
    severity: 'warning',
    text: `${name}, ${key}: this version has no such text.`,
    fix: nearest
      ? `Did you mean ${nearest.each}?`
      : 'npm run cli -- messages list prints those that there are.',
  };
}

/** How many letters have to change to make one text of another (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, beside] of [...other].entries())
      next.push(
        Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === beside ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
