import type { Part, Text } from './say.js';

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ACCENTED = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž';

/** By how much other languages are longer than English. */
const LONGER = 0.35;

/** As long as what fills a text may be without a blank, at which a line breaks. */
const FILLING = 6;

/**
 * A text of the pseudo-language `en-XA`: English with accents, longer, and in brackets, as `[Ļöĝ îñ··]`. Who reads it in a page
 * knows that the text comes from the catalogue, whole, and that its place has room for other languages.
 */
export function pseudo(text: Text): Text {
  const filling = '·'.repeat(Math.ceil(lengthOf(text) * LONGER));
  const end = filling.replace(new RegExp(`.{${FILLING}}(?=.)`, 'g'), '$& ');
  const accented = withAccents(text);
  return typeof accented === 'string' ? `[${accented}${end}]` : ['[', ...accented, `${end}]`];
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
