import { describe, expect, it } from '@jest/globals';
import { inPseudo, PSEUDO_LANGUAGES } from '../../src/words/pseudo.js';
import { isolated, say } from '../../src/words/say.js';

const formats = { number: String, moment: String, plural: () => 'other' };

describe('a value in a text', () => {
  it.each([
    ['ltr', 'Initech', 'Initech'],
    ['ltr', '192.168.0.1', '192.168.0.1'],
    ['ltr', '日本語', '日本語'],
    ['ltr', 'שלום', '\u2068שלום\u2069'],
    ['ltr', 'Acme سلام', '\u2068Acme سلام\u2069'],
    ['ltr', '\u{1e900}', '\u2068\u{1e900}\u2069'],
    ['rtl', 'سلام', 'سلام'],
    ['rtl', '«سلام»', '«سلام»'],
    ['rtl', 'Initech', '\u2068Initech\u2069'],
    ['rtl', '::1', '\u2068::1\u2069'],
    ['rtl', '日本語', '\u2068日本語\u2069'],
  ] as const)(
    'of the direction %s is isolated only where it has another one: %s',
    (direction, value, expected) => {
      expect(isolated(value, { direction })).toBe(expected);
      expect(say(['“', ['org'], '” ends.'], { org: value }, { ...formats, direction })).toBe(
        `“${expected}” ends.`,
      );
    },
  );
});

describe('a pseudo-language', () => {
  it.each(['en-XA', 'ar-XB'] as const)(
    'has the letters of the other one, and its own direction: %s',
    (tag) => {
      const english = { tag: 'en', direction: 'ltr' as const, texts: ['Log in', 0 as unknown as string] };

      expect(inPseudo(english, tag)).toMatchObject({
        tag,
        direction: PSEUDO_LANGUAGES[tag],
        texts: ['[Ļöĝ îñ···]', 0],
      });
    },
  );
});
