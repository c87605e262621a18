import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileFaults } from './file-faults.js';
import {
  hashOf,
  isCritical,
  type Kind,
  type LanguageState,
  languageTags,
  madeOf,
  noted,
  readLanguageFile,
  SOURCE,
  type SourceFile,
  type TranslationFile,
  type Volume,
  volumeOf,
} from './language-file.js';
import type { CompiledLanguage, Text } from './say.js';
import { TextCompiler } from './text-compiler.js';
import { TranslationCompiler } from './translation-compiler.js';

/** What stands in the file of English, and what of it is wrong. */
export interface Catalogue {
  language: CompiledLanguage;
  /** The keys, in the order of the file. A word is known by its place here. */
  keys: string[];
  /** The values that each text takes, by name, as TypeScript writes their types. */
  given: Record<string, string>[];
  /** A sentence each, with the key. */
  faults: string[];
}

/** Reads the file of a language, and compiles the texts of a volume to what `say` takes. */
export async function compileLanguage(tag: string, volume: Volume, folder?: string): Promise<Catalogue> {
  const source = await readLanguageFile<SourceFile>(SOURCE, folder);
  if (tag === SOURCE) return compile(only(volume, source));
  const file = await readLanguageFile<TranslationFile>(tag, folder);
  const catalogue = compileTranslation(only(volume, file), only(volume, source));
  // Once: they are the same in each volume.
  const faults = volume === 'service' ? fileFaults(tag, file, source) : [];
  return { ...catalogue, faults: [...faults, ...catalogue.faults] };
}

function only<File extends SourceFile | TranslationFile>(volume: Volume, file: File): File {
  const words = Object.entries(file.words).filter(([key]) => volumeOf(key) === volume);
  return { ...file, words: Object.fromEntries(words) };
}

/**
 * Compiles the texts of a volume that have no fault.
 *
 * @throws Error when a text has a fault.
 */
export async function soundLanguage(tag: string, volume: Volume, folder?: string): Promise<Catalogue> {
  const catalogue = await compileLanguage(tag, volume, folder);
  if (catalogue.faults.length > 0) throw new Error(catalogue.faults.join('\n'));
  return catalogue;
}

/**
 * Writes what the service says in each language into a folder, from which it then reads it.
 *
 * @throws Error when a language has a fault.
 */
export async function writeWords(folder: string, languages?: string): Promise<void> {
  const tags = await languageTags(languages);
  const sound = await Promise.all(tags.map((tag) => soundLanguage(tag, 'service', languages)));
  await mkdir(folder, { recursive: true });
  for (const { language } of sound)
    await writeFile(join(folder, `${language.tag}.json`), JSON.stringify(language));
  // As it was written, for a product whose own texts are compared with it.
  await mkdir(join(folder, 'source'), { recursive: true });
  await writeFile(
    join(folder, 'source', `${SOURCE}.json`),
    JSON.stringify(await readLanguageFile<SourceFile>(SOURCE, languages)),
  );
  const isGone = (file: string) => file.endsWith('.json') && !tags.includes(file.replace('.json', ''));
  for (const file of (await readdir(folder)).filter(isGone)) await rm(join(folder, file));
}

/** Compiles the texts of English, and finds every fault in them. */
export function compile(file: SourceFile): Catalogue {
  const { language, values = {}, words } = file;
  const faults: string[] = [];
  const given: Record<string, string>[] = [];
  const texts = Object.entries(words).map(([key, entry]) => {
    const { text, note, max } = noted(entry);
    const report = (fault: string) => faults.push(`${language}.json, ${key}: ${fault}`);
    if (text.split(' ').length < 3 && note === undefined && !key.startsWith('mail.'))
      report('a text of one or two words needs a note that says where it stands');

    const compiler = new TextCompiler(values, language, report);
    const compiled = compiler.compile(key, text, max);
    if (volumeOf(key) === 'service' && compiler.slots.size > 0)
      report('only texts of pages have slots: mails have no markup in their texts');
    if (key.endsWith('.subject') && [...compiler.names].some((name) => values[name] === 'person'))
      report('a subject has nothing that a person typed: readers take a subject for ours');
    const ofItsOwn = [...compiler.names].filter((name) => values[name] !== 'constant').sort();
    const types = [
      ...ofItsOwn.map((name) => [name, typeOf(values[name])]),
      ...[...compiler.slots].sort().map((name) => [name, 'Slot']),
    ];
    given.push(Object.fromEntries(types));
    return compiled;
  });
  return { language: compiled(file, 'reviewed', texts), keys: Object.keys(words), given, faults };
}

/** Compiles the texts of another language in the order of English, and finds whatever differs from it in more than words. */
export function compileTranslation(file: TranslationFile, source: SourceFile): Catalogue {
  const english = compile(source);
  const compiler = new TranslationCompiler(source, english);
  const { language, words } = file;
  const faults: string[] = [];
  const texts = english.keys.map((key) => {
    const report = (fault: string) => faults.push(`${language}.json, ${key}: ${fault}`);
    const text = words[key];
    if (text === undefined) {
      report('it is missing: npm run words -- sync puts the English text there');
      return '';
    }
    const entry = source.words[key] ?? '';
    if (
      file.state === 'reviewed' &&
      isCritical(key, entry) &&
      madeOf(file, key) !== hashOf(noted(entry).text)
    )
      report(
        'it is critical, and made of an older English text: translate it, and have it read and signed again',
      );
    return compiler.compile(language, key, text, report);
  });
  for (const key of Object.keys(words).filter((each) => !(each in source.words)))
    faults.push(`${language}.json, ${key}: English has no such text: npm run words -- sync takes it away`);
  return { ...english, language: compiled(file, file.state, texts), faults };
}

function compiled(
  { language, name, direction }: SourceFile | TranslationFile,
  state: LanguageState,
  texts: Text[],
): CompiledLanguage {
  return { tag: language, name, direction, state, texts };
}

function typeOf(kind: Kind | undefined): string {
  if (Array.isArray(kind)) return kind.map((name) => `'${name}'`).join(' | ');
  if (kind === 'person') return 'Person';
  if (kind === 'count') return 'number';
  if (kind === 'piece') return 'Piece';
  return kind === 'moment' ? 'Date' : 'string';
}
