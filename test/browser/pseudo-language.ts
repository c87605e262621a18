import type { BrowserContext } from 'playwright-core';
import { bundleOnce } from '../../src/pages/bundle.js';
import { accentOf, PSEUDO_LANGUAGES, type PseudoLanguage } from '../../src/words/pseudo.js';

/** The language that the visitors of all stories read; by default that of the service. */
export const TEST_LANGUAGE = (process.env.LATCHKEY_TEST_LANGUAGE ?? 'en') as 'en' | PseudoLanguage;

const WORDS = /\/ui\/assets\/(\w+-words-)(?:en|en-XA|ar-XB)(-\w{8}-)\w{8}\.json$/;

/**
 * Lets the pages say everything in a pseudo-language, also where only English is served. The document is in it before the scripts run,
 * as one would be that the service had written in it.
 */
export async function speakPseudo(context: BrowserContext, tag: PseudoLanguage): Promise<void> {
  const { files } = await bundleOnce(['en', tag]);
  const language = JSON.stringify({ lang: tag, dir: PSEUDO_LANGUAGES[tag] });
  await context.addInitScript(
    `document.addEventListener('readystatechange', () => Object.assign(document.documentElement, ${language}), { once: true });`,
  );
  await context.route(WORDS, async (route) => {
    const [, page, catalogue] = WORDS.exec(route.request().url()) ?? [];
    const name = [...files.keys()].find((each) => each.startsWith(`${page}${tag}${catalogue}`)) ?? '';
    await route.fulfill({ body: files.get(name) as Buffer, contentType: 'application/json' });
  });
}

/** What stands around and after a text in the pseudo-language, or around a value: names of elements have several texts. */
const AROUND = '(?:[\u2068\u2069[\\]·]|(?<=\\[)\\s|\\s(?=[·\\]]))*';

/**
 * Finds an English text in a page that says it in the pseudo-language, or as it is: a value has no accents. Like the search for
 * a string, that for a part of a text does not care about capitals.
 */
export function readPseudo(text: string, { isWhole = false } = {}): RegExp {
  const letterOf = (letter: string) => {
    if (letter === ' ') return '\\s+';
    if (!/[a-z]/i.test(letter)) return letter.replace(/[$()*+.?[\]^{|}\\]/, '\\$&');
    const cases = isWhole ? [letter] : [letter.toLowerCase(), letter.toUpperCase()];
    return `[${cases.map((each) => each + accentOf(each)).join('')}]`;
  };
  const words = text.match(/[\p{L}\p{N}]+|./gu) ?? [];
  const read = words.map((word) => [...word].map(letterOf).join('')).join(AROUND);
  return new RegExp(isWhole ? `^${AROUND}${read}${AROUND}$` : read);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PLAIN = new Map([...ALPHABET].map((letter) => [accentOf(letter), letter]));

/** A text of a page as the English that the pseudo-language was made of. */
export function fromPseudo(text: string): string {
  return text
    .replace(/[· ]*\]|[[\u2068\u2069]/g, '')
    .replace(/[^ -~]/g, (letter) => PLAIN.get(letter) ?? letter);
}
