import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';

const IMPRINT = { url: 'https://example.com/{language}/imprint', words: { en: 'Imprint', de: 'Impressum' } };

/** What the start is refused with. */
function refusal(links: unknown, locales = 'en,de'): string {
  try {
    parseEnvironment({
      SVC_ENVIRONMENT: 'dev',
      SVC_LOCALES: locales,
      SVC_FOOTER_LINKS: typeof links === 'string' ? links : JSON.stringify(links),
    });
    return 'it starts';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('SVC_FOOTER_LINKS', () => {
  it('is none where it is not set', () => {
    expect(parseEnvironment({ SVC_ENVIRONMENT: 'dev' }).footerLinks).toEqual([]);
  });

  it.each([
    ['nothing', []],
    ['five links', Array(5).fill(IMPRINT)],
    ['an address to write to', [{ ...IMPRINT, url: 'mailto:legal@example.com?subject=Imprint' }]],
    ['a part of a page', [{ ...IMPRINT, url: 'https://{language}.example.com/legal?a=b#imprint' }]],
    ['60 characters of any script', [{ ...IMPRINT, words: { en: '日'.repeat(60), ar: 'بصمة' } }]],
    ['what is for mails', [{ ...IMPRINT, mails: true }]],
  ])('may have %s', (_, links) => {
    expect(refusal(links)).toBe('it starts');
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '[{', /SVC_FOOTER_LINKS must be a JSON list of objects/],
    ['no list', IMPRINT, /SVC_FOOTER_LINKS must be a JSON list of objects/],
    ['six links', Array(6).fill(IMPRINT), /SVC_FOOTER_LINKS must have 5 links at most/],
    ['a link without an address', [{ words: IMPRINT.words }], /\[0\]\.url is missing: it must be an https:/],
    ['a link without words', [{ url: IMPRINT.url }], /\[0\]\.words is missing: it must be texts/],
    ['no words', [{ ...IMPRINT, words: {} }], /\[0\]\.words must be texts/],
    [
      'words of another language only',
      [{ ...IMPRINT, words: { de: 'Impressum' } }],
      /must have a text in en, the default/,
    ],
    [
      'words of what is no language',
      [{ ...IMPRINT, words: { en: 'Imprint', DE: 'x' } }],
      /\[0\]\.words must be texts/,
    ],
    ['words that are no text', [{ ...IMPRINT, words: { en: 7 } }], /\[0\]\.words must be texts/],
    ['61 characters', [{ ...IMPRINT, words: { en: 'a'.repeat(61) } }], /at most 60 characters/],
    ['words over two lines', [{ ...IMPRINT, words: { en: 'a\nb' } }], /\[0\]\.words must be texts/],
    ['words that turn', [{ ...IMPRINT, words: { en: 'a\u202eb' } }], /\[0\]\.words must be texts/],
    ['words that nobody sees', [{ ...IMPRINT, words: { en: '\u2800' } }], /\[0\]\.words must be texts/],
    ['a script', [{ ...IMPRINT, url: 'javascript:alert(1)' }], /\[0\]\.url must be an https:/],
    ['an address in the clear', [{ ...IMPRINT, url: 'http://example.com' }], /\[0\]\.url must be an https:/],
    ['a path', [{ ...IMPRINT, url: '/imprint' }], /\[0\]\.url must be an https:/],
    [
      'a user in an address',
      [{ ...IMPRINT, url: 'https://a:b@example.com' }],
      /\[0\]\.url must be an https:/,
    ],
    [
      'a blank in an address',
      [{ ...IMPRINT, url: 'https://example.com/a b' }],
      /\[0\]\.url must be an https:/,
    ],
    [
      'another word in braces',
      [{ ...IMPRINT, url: 'https://example.com/{lang}' }],
      /\{language\} as the only word in braces/,
    ],
    ['nobody to write to', [{ ...IMPRINT, url: 'mailto:?subject=x' }], /\[0\]\.url must be an https:/],
    ['a misspelt field', [{ ...IMPRINT, mail: true }], /\[0\]\.mail is not known/],
    ['a flag that is none', [{ ...IMPRINT, mails: 'yes' }], /\[0\]\.mails must be true or false/],
  ])('may not have %s', (_, links, fault) => {
    expect(refusal(links)).toMatch(fault);
  });

  it('needs words of the default language, whichever that is', () => {
    expect(refusal([IMPRINT], 'fr,en')).toContain(
      'SVC_FOOTER_LINKS[0].words must have a text in fr, the default',
    );
    expect(refusal([IMPRINT], 'de,en')).toBe('it starts');
  });

  it('starts as docs/pages.md has it', async () => {
    const document = await readFile('docs/pages.md', 'utf8');
    const [, json = ''] = /## Links of your own[\s\S]*?```json\n([\s\S]+?)```/.exec(document) ?? [];

    expect(json).toContain('{language}');
    expect(refusal(json)).toBe('it starts');
  });
});
