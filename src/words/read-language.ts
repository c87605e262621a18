import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '../config/version.js';
import { languageTags, readLanguageFile, type TranslationFile } from './language-file.js';
import { inPseudo, isPseudo } from './pseudo.js';
import type { CompiledLanguage } from './say.js';

/** The tests run from the sources, beside which there is no build, or one of other sources. */
const IS_BUILT = import.meta.filename.endsWith('.js');

/** Where the languages stand, a file each: as their authors write them, and as the build does. */
const FOLDER = IS_BUILT ? 'dist/words' : 'src/words/languages';

/** A language without its texts. */
export type ShippedLanguage = Omit<CompiledLanguage, 'texts'>;

/** The tags of the languages that there are, English first. */
export function shippedTags(): Promise<string[]> {
  return languageTags(join(packageFolder(), FOLDER));
}

/** The languages that there are, English first. */
export async function shippedLanguages(): Promise<ShippedLanguage[]> {
  return IS_BUILT ? builtLanguages(join(packageFolder(), FOLDER)) : sourceLanguages();
}

/** The languages that a build wrote into a folder. */
export async function builtLanguages(folder: string): Promise<ShippedLanguage[]> {
  const tags = await languageTags(folder);
  return Promise.all(
    tags.map(async (built) => {
      const { tag, name, direction, state } = await builtLanguage(built, folder);
      return { tag, name, direction, state };
    }),
  );
}

async function sourceLanguages(): Promise<ShippedLanguage[]> {
  const tags = await shippedTags();
  return Promise.all(
    tags.map(async (tag) => {
      // English says no state: people wrote it.
      const { name, direction, state = 'reviewed' } = await readLanguageFile<TranslationFile>(tag);
      return { tag, name, direction, state };
    }),
  );
}

/** What the service says in a language. */
export async function readLanguage(tag: string): Promise<CompiledLanguage> {
  if (isPseudo(tag)) return inPseudo(await readLanguage('en'), tag);
  // Loaded only here: what serves in production has no parser.
  if (!IS_BUILT) return (await (await import('./compile.js')).soundLanguage(tag, 'service')).language;
  return builtLanguage(tag, join(packageFolder(), FOLDER));
}

async function builtLanguage(tag: string, folder: string): Promise<CompiledLanguage> {
  return JSON.parse(await readFile(join(folder, `${tag}.json`), 'utf8'));
}
