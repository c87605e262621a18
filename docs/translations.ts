import {
  type MessageFormatElement,
  type PluralElement,
  parse,
  type SelectElement,
  TYPE,
} from '@formatjs/icu-messageformat-parser';
import { compileTranslation } from '../src/words/compile.js';
import { directionOf } from '../src/words/file-faults.js';
import {
  hashOf,
  isCritical,
  madeOf,
  noted,
  reviewHash,
  type SourceFile,
  type TranslationFile,
} from '../src/words/language-file.js';

/** In the order in which people read them. */
const PLURAL_CASES: Intl.LDMLPluralRule[] = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** An untranslated language: it says English, and is whole. */
export function newTranslation(tag: string, source: SourceFile): TranslationFile {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  const [first = '', ...rest] = name;
  const empty: TranslationFile = {
    language: tag,
    name: first.toLocaleUpperCase(tag) + rest.join(''),
    direction: directionOf(tag),
    state: 'machine',
    words: {},
    of: {},
  };
  return synced(empty, source).file;
}

/** A language with the keys of English in their order, and what came and went for that. */
export function synced(
  file: TranslationFile,
  source: SourceFile,
): { file: TranslationFile; english: string[]; gone: string[] } {
  const english: string[] = [];
  const entries = Object.keys(source.words).map((key) => {
    const text = file.words[key];
    if (text !== undefined && !isLost(key, text, file, source)) {
      // A text without the hash of its English was just translated, by hand.
      return [key, text, file.of?.[key] ?? hashOf(englishOf(source, key))] as const;
    }
    english.push(key);
    return [
      key,
      untranslated(file.language, englishOf(source, key)),
      hashOf(englishOf(source, key)),
    ] as const;
  });
  const gone = Object.keys(file.words).filter((key) => !(key in source.words));
  return { file: withEntries(file, entries), english, gone };
}

/** Puts texts of a translator into a language. One with a fault stays out. */
export function translated(
  file: TranslationFile,
  source: SourceFile,
  given: Record<string, string>,
): { file: TranslationFile; faults: string[] } {
  const faults: string[] = [];
  const { file: whole } = synced(file, source);
  for (const [key, text] of Object.entries(given)) {
    const found =
      key in source.words && typeof text === 'string'
        ? faultsOf(key, text, file, source)
        : [`${file.language}.json, ${key}: English has no such text`];
    faults.push(...found);
    if (found.length > 0) continue;
    const isSame = text === untranslated(file.language, englishOf(source, key));
    whole.words[key] = text;
    whole.of[key] = `${isSame ? '=' : ''}${hashOf(englishOf(source, key))}`;
  }
  return { file: whole, faults };
}

/** The critical texts that a reviewer cannot sign, because they are English, or were made of an older English text. */
export function unreadable(file: TranslationFile, source: SourceFile): string[] {
  const { untranslated, stale } = openIn(file, source);
  return [...untranslated, ...stale].filter((key) => isCritical(key, source.words[key] ?? ''));
}

/** A language that a person answers for, who has read what `reviewOf` shows. */
export function signed(
  file: TranslationFile,
  source: SourceFile,
  name: string,
  today: Date,
): TranslationFile {
  const { language, name: own, direction, words, of } = file;
  const reviewedBy = { name, date: today.toISOString().slice(0, 10), hash: reviewHash(source, file) };
  return { language, name: own, direction, state: 'reviewed', reviewedBy, words, of };
}

/** The critical texts of a language, each below the English one, to be read from top to bottom. */
export function reviewOf(file: TranslationFile, source: SourceFile): string {
  return Object.entries(source.words)
    .filter(([key, entry]) => isCritical(key, entry))
    .map(([key]) => `${key}\n  ${englishOf(source, key)}\n  ${file.words[key]}`)
    .join('\n\n');
}

/** The keys that still say English, and those whose English has changed since. */
export function openIn(
  file: TranslationFile,
  source: SourceFile,
): { untranslated: string[]; stale: string[] } {
  const keys = Object.keys(source.words);
  const isUntranslated = (key: string) => saysEnglish(key, file.words[key] ?? '', file, source);
  return {
    untranslated: keys.filter(isUntranslated),
    stale: keys.filter((key) => !isUntranslated(key) && isStale(key, file, source)),
  };
}

/** Whether English has to take the place of a text: it is still the former English, or the new one has other values. */
function isLost(key: string, text: string, file: TranslationFile, source: SourceFile): boolean {
  if (file.of?.[key] === undefined || !isStale(key, file, source)) return false;
  return saysEnglish(key, text, file, source) || faultsOf(key, text, file, source).length > 0;
}

function isStale(key: string, file: TranslationFile, source: SourceFile): boolean {
  return madeOf(file, key) !== hashOf(englishOf(source, key));
}

/** Whether a text is untranslated. One that is the same on purpose says so. */
function saysEnglish(key: string, text: string, file: TranslationFile, source: SourceFile): boolean {
  if (file.of?.[key]?.startsWith('=')) return false;
  return text === untranslated(file.language, englishOf(source, key)) || hashOf(text) === file.of?.[key];
}

function faultsOf(key: string, text: string, file: TranslationFile, source: SourceFile): string[] {
  return compileTranslation(
    { ...file, state: 'machine', words: { [key]: text } },
    { ...source, words: { [key]: source.words[key] ?? '' } },
  ).faults;
}

function withEntries(
  file: TranslationFile,
  entries: (readonly [key: string, text: string, of: string])[],
): TranslationFile {
  return {
    ...file,
    words: Object.fromEntries(entries.map(([key, text]) => [key, text])),
    of: Object.fromEntries(entries.map(([key, , of]) => [key, of])),
  };
}

function englishOf(source: SourceFile, key: string): string {
  return noted(source.words[key] ?? '').text;
}

/** The English text, with the cases of plurals that a language counts by. */
function untranslated(tag: string, text: string): string {
  const own = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  const rules = PLURAL_CASES.filter((name) => own.includes(name));
  if (!text.includes(', plural,') || rules.join() === 'one,other') return text;
  return printed(parse(text, { shouldParseSkeletons: false }), rules);
}

/** A text in the form of ICU, its plurals with the cases of a language: one that English has not says what `other` does. */
function printed(elements: MessageFormatElement[], rules: string[]): string {
  return elements.map((element) => printedElement(element, rules)).join('');
}

function printedElement(element: MessageFormatElement, rules: string[]): string {
  switch (element.type) {
    case TYPE.pound:
      return '#';
    case TYPE.literal:
      return element.value;
    case TYPE.argument:
      return `{${element.value}}`;
    case TYPE.number:
      return `{${element.value}, number}`;
    case TYPE.tag:
      return `<${element.value}>${printed(element.children, rules)}</${element.value}>`;
    case TYPE.plural: {
      const exact = Object.keys(element.options).filter((name) => name.startsWith('='));
      return printedCases(element, 'plural', [...exact, ...rules], rules);
    }
    case TYPE.select:
      return printedCases(element, 'select', Object.keys(element.options), rules);
    default:
      return `{${element.value}, date, ${element.style}}`;
  }
}

function printedCases(
  { value, options }: PluralElement | SelectElement,
  by: 'plural' | 'select',
  names: string[],
  rules: string[],
): string {
  const cases = names.map(
    (name) => `${name} {${printed((options[name] ?? options.other)?.value ?? [], rules)}}`,
  );
  return `{${value}, ${by}, ${cases.join(' ')}}`;
}
