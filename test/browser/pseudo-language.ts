import type { BrowserContext } from 'playwright-core';
import { bundleOnce } from '../../src/pages/bundle.js';
import { accentOf, pseudo } from '../../src/words/pseudo.js';
import type { PageWords, Text } from '../../src/words/say.js';

/** The language that the visitors of all stories read; by default that of the service. */
export const TEST_LANGUAGE = process.env.LATCHKEY_TEST_LANGUAGE;

const WORDS = /\/ui\/assets\/(\w+-words-en-\w{8}\.json)$/;

/** Lets the pages say everything in the pseudo-language en-XA. */
export async function speakPseudo(context: BrowserContext): Promise<void> {
  const { files } = await bundleOnce();
  await context.route(WORDS, async (route) => {
    const [, name = ''] = WORDS.exec(route.request().url()) ?? [];
    await route.fulfill({ json: inPseudo(JSON.parse(String(files.get(name)))) });
  });
}

/** The words of a page, or the acts by their types. */
function inPseudo(words: PageWords | Record<string, Text>): object {
  if ('tag' in words)
    return { ...words, tag: 'en-XA', texts: (words as PageWords).texts.map((text) => text && pseudo(text)) };
  return Object.fromEntries(Object.entries(words).map(([type, text]) => [type, pseudo(text)]));
}

/** Finds an English text in a page that says it in the pseudo-language, or as it is: a value has no accents. */
export function readPseudo(text: string, { isWhole = false } = {}): RegExp {
  const letters = [...text].map((letter) => {
    if (letter === ' ') return '\\s+';
    return /[a-z]/i.test(letter)
      ? `[${letter}${accentOf(letter)}]`
      : letter.replace(/[$()*+.?[\]^{|}\\]/, '\\$&');
  });
  return new RegExp(isWhole ? `^\\[?${letters.join('')}[·\\s]*\\]?$` : letters.join(''));
}
