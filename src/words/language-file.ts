import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../config/version.js';

/** Where the languages stand, a file each. */
export const LANGUAGES = 'src/words/languages';

/** The language that the others are made of. */
export const SOURCE = 'en';

/** Enough to tell one text from another that took its place. */
const HASH_LENGTH = 8;

/**
 * What a value is: the same in every text, written by us, typed by a person, a number, an instant, a piece of a page, or one of
 * a few names.
 */
export type Kind = 'constant' | 'ours' | 'person' | 'count' | 'moment' | 'piece' | string[];

/**
 * Texts that are compiled into a file of their own: those that the service says in mails, documents and summaries, those that its pages
 * say, and the acts of the audit log, which a page loads late.
 */
export type Volume = 'service' | 'pages' | 'problems' | 'acts';

/** A text of English with what its translators need to know. */
export interface NotedText {
  text: string;
  note?: string;
  /** How many columns its place has. */
  max?: number;
  /** Whether a person has to read its translation before the language is called reviewed. */
  critical?: boolean;
}

/** A text of English. */
export type Entry = string | NotedText;

/** The file of English. */
export interface SourceFile {
  language: string;
  name: string;
  direction: 'ltr' | 'rtl';
  values: Record<string, Kind>;
  words: Record<string, Entry>;
}

/** The word of a person who speaks the language, and has read its critical texts. */
interface Signature {
  name: string;
  date: string;
  /** The hash of what they read. */
  hash: string;
}

/** Who made the texts of a language: a machine, of which nobody has read them all, or a person. */
export type LanguageState = 'machine' | 'reviewed';

/** The file of a language. */
export interface TranslationFile {
  language: string;
  name: string;
  direction: 'ltr' | 'rtl';
  state: LanguageState;
  reviewedBy?: Signature;
  words: Record<string, string>;
  /** The hash of the English text that each text was made of; behind `=`, where the language says the same on purpose. */
  of: Record<string, string>;
}

/** The tags of the languages that have a file, English first. */
export async function languageTags(folder = join(packageFolder(), LANGUAGES)): Promise<string[]> {
  const files = await readdir(folder);
  const tags = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  return [SOURCE, ...tags.filter((tag) => tag !== SOURCE).sort()];
}

export async function readLanguageFile<File extends SourceFile | TranslationFile>(
  tag: string,
  folder = join(packageFolder(), LANGUAGES),
): Promise<File> {
  const text = await readFile(join(folder, `${tag}.json`), 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${tag}.json is no JSON: ${(error as Error).message}`);
  }
}

export function volumeOf(key: string): Volume {
  if (/^(mail|shell|summary)\./.test(key)) return 'service';
  if (key.startsWith('problem.')) return 'problems';
  return key.startsWith('act.') ? 'acts' : 'pages';
}

export function noted(entry: Entry): NotedText {
  return typeof entry === 'string' ? { text: entry } : entry;
}

/** Whether a wrong translation can cost somebody an account: every mail, and what English marks so. */
export function isCritical(key: string, entry: Entry): boolean {
  return key.startsWith('mail.') || noted(entry).critical === true;
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

/** The hash of the English text that a text was made of. */
export function madeOf(file: TranslationFile, key: string): string | undefined {
  return file.of?.[key]?.replace('=', '');
}

/** The hash of what a reviewer reads: the critical texts, beside the English that they were made of. */
export function reviewHash(source: SourceFile, file: TranslationFile): string {
  const read = Object.entries(source.words)
    .filter(([key, entry]) => isCritical(key, entry))
    .map(([key]) => [key, madeOf(file, key), file.words[key]]);
  return hashOf(JSON.stringify(read));
}
