import { columnsOf } from './columns.js';
import { reviewHash, SOURCE, type SourceFile, type TranslationFile } from './language-file.js';
import { translationFaults } from './translation-faults.js';

const FIELDS = ['language', 'name', 'direction', 'state', 'reviewedBy', 'words', 'of'];

/** The choice of languages has room for as much. */
const MAX_NAME = 32;

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = 'Arab Hebr Thaa Syrc Nkoo Adlm Rohg Samr Mand'.split(' ');

/** What is wrong with the file of a language, aside from its texts. */
export function fileFaults(tag: string, file: TranslationFile, source: SourceFile): string[] {
  const surplus = Object.keys(file).filter((field) => !FIELDS.includes(field));
  return [
    ...tagFaults(tag),
    ...(file.language === tag ? [] : [`"language" is ${file.language}: write ${tag}, as its name says`]),
    ...nameFaults(file.name),
    ...(['ltr', 'rtl'].includes(file.direction) ? [] : ['"direction" is ltr or rtl']),
    ...(surplus.length === 0 ? [] : [`it has ${surplus.join(', ')}, which no language has: take it away`]),
    ...(typeof file.of === 'object' ? [] : ['"of" is missing: npm run words -- sync writes it']),
    ...stateFaults(file, source),
  ].map((fault) => `${tag}.json: ${fault}`);
}

/** Every page shows the name, in the choice of languages. */
export function nameFaults(name: unknown): string[] {
  if (typeof name !== 'string' || name.trim() === '')
    return ['"name" is missing: write what the language calls itself'];
  if (columnsOf(name) > MAX_NAME) return [`"name" is longer than ${MAX_NAME} columns: say it shorter`];
  return translationFaults(SOURCE, name, {}).map((fault) => `in "name", ${fault}`);
}

function stateFaults(file: TranslationFile, source: SourceFile): string[] {
  const { state, reviewedBy } = file;
  if (state === 'machine')
    return reviewedBy === undefined
      ? []
      : ['it is signed, and its "state" is machine: take "reviewedBy" away'];
  if (state !== 'reviewed') return ['"state" is machine or reviewed'];
  const again = `npm run words -- sign ${file.language} "<name>" once a person has read it, or set "state" to machine`;
  if (!reviewedBy?.name || !reviewedBy.date) return [`it is reviewed, and nobody has signed it: ${again}`];
  return reviewedBy.hash === reviewHash(source, file)
    ? []
    : [`its critical texts are not those that ${reviewedBy.name} read: ${again}`];
}

export function tagFaults(tag: string): string[] {
  const canonical = canonicalOf(tag);
  if (canonical === undefined || /-[a-z\d]-/i.test(tag))
    return ['its name is no tag of a language, such as nl or pt-BR'];
  if (canonical !== tag) return [`write its name ${canonical}.json`];
  if (Intl.PluralRules.supportedLocalesOf(tag).length === 0)
    return ['Node does not know how this language counts'];
  return [];
}

function canonicalOf(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** Node 20 and later versions do not agree where a locale tells this, so its script does. */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr';
}
