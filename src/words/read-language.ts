import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../config/environment.js';
import { packageFolder } from '../config/version.js';
import { Language } from './language.js';
import { plainName } from './plain-name.js';
import type { CompiledLanguage } from './say.js';

/** The tests run from the sources, beside which there is no build, or one of other sources. */
const IS_BUILT = import.meta.filename.endsWith('.js');

/** Reads a language as the build wrote it. */
export async function readLanguage(tag: string, environment: Environment): Promise<Language> {
  return languageOf(await compiledLanguage(tag), environment);
}

/** A compiled language, with what texts say of the product. */
export function languageOf(compiled: CompiledLanguage, environment: Environment): Language {
  return new Language(compiled, {
    product: plainName(environment.productName),
    support: environment.supportEmail ?? '',
  });
}

async function compiledLanguage(tag: string): Promise<CompiledLanguage> {
  // Loaded only here: what serves in production has no parser.
  if (!IS_BUILT) return (await (await import('./compile.js')).soundLanguage(tag, 'service')).language;
  return JSON.parse(await readFile(join(packageFolder(), 'dist/words', `${tag}.json`), 'utf8'));
}
