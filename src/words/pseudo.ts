import type { CompiledTexts, Part, Text } from './say.js';

/** The pseudo-languages, with their directions. They show what texts of other languages do to pages and mails. */
export const PSEUDO_LANGUAGES = { 'en-XA': 'ltr', 'ar-XB': 'rtl' } as const;

export type PseudoLanguage = keyof typeof PSEUDO_LANGUAGES;

export const PSEUDO_TAGS = Object.keys(PSEUDO_LANGUAGES) as PseudoLanguage[];

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ACCENTED = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž';

/** By how much other languages are longer than English. */
const LONGER = 0.35;

/** As long as what fills a text may be without a blank, at which a line breaks. */
const FILLING = 6;

/** English as a pseudo-language. What a language does not say stays a 0. */
export function inPseudo<L extends CompiledTexts>(english: L, tag: PseudoLanguage): L {
  const texts = english.texts.map((text) => text && pseudo(text));
  return { ...english, tag, name: tag, direction: PSEUDO_LANGUAGES[tag], texts };
}

/**
 * A text of a pseudo-language: English with accents, longer, and in brackets, as `[Ļöĝ îñ··]`. Who reads it in a page
 * knows that the text comes from the catalogue, whole, and that its place has room for other languages.
 */
export function pseudo(text: Text): Text {
  const filling = '·'.repeat(Math.ceil(lengthOf(text) * LONGER));
  const end = filling.replace(new RegExp(`.{${FILLING}}(?=.)`, 'g'), '$& ');
  const accented = withAccents(text);
  return typeof accented === 'string' ? `[${accented}${end}]` : ['[', ...accented, `${end}]`];
}

export function isPseudo(tag: string): tag is PseudoLanguage {
  return tag in PSEUDO_LANGUAGES;
}

/** What a plain letter may have become. */
export function accentOf(letter: string): string {
  return ACCENTED[PLAIN.indexOf(letter)] ?? letter;
}

function withAccents(text: Text): Text {
  return typeof text === 'string' ? text.replace(/[a-z]/gi, accentOf) : text.map(accentedPart);
}

function accentedPart(part: Part): Part {
  if (typeof part === 'string') return part.replace(/[a-z]/gi, accentOf);
  if (part[1] === 'slot') return [part[0], 'slot', withAccents(part[2] as Text)];
  if (part[1] === 'plural' || part[1] === 'select') {
    const cases = Object.entries(part[2] as Record<string, Text>).map(([name, text]) => [
      name,
      withAccents(text),
    ]);
    return [part[0], part[1], Object.fromEntries(cases)];
  }
  return part;
}

/** The letters of a text without its values; of cases, those of the longest. */
function lengthOf(text: Text): number {
  if (typeof text === 'string') return text.length;
  return text.map(lengthOfPart).reduce((sum, each) => sum + each, 0);
}

function lengthOfPart(part: Part): number {
  if (typeof part === 'string') return part.length;
  if (part[1] === 'slot') return lengthOf(part[2] as Text);
  if (part[1] === 'plural' || part[1] === 'select')
    return Math.max(...Object.values(part[2] as Record<string, Text>).map(lengthOf));
  return 0;
}
