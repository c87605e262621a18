import { describe, expect, it } from '@jest/globals';
import { canonicalLocale, isTimeZone } from '../../src/validation/locale.js';
import { lookup, rangesOf } from '../../src/words/lookup.js';

const SERVED = ['en', 'de', 'fr', 'es', 'pt-BR', 'it', 'pl', 'ja', 'zh-Hans', 'ar'];

const found = (header: string | undefined, served = SERVED) => lookup(rangesOf(header), served);

describe('an Accept-Language', () => {
  it.each([
    ['de', 'de'],
    ['DE', 'de'],
    ['de-CH', 'de'],
    ['de-CH-1996', 'de'],
    ['de-DE,de;q=0.9,en;q=0.8', 'de'],
    ['en;q=0.8,de;q=0.9', 'de'],
    ['en;q=0.1, fr;q=0.2, de;q=0.3', 'de'],
    ['nl, de', 'de'],
    ['nl;q=1, de;q=0.1', 'de'],
    ['nl', null],
    ['nl, *;q=0.1', 'en'],
    ['*', 'en'],
    ['pt', 'pt-BR'],
    ['pt-PT', 'pt-BR'],
    ['pt-BR', 'pt-BR'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-Hans', 'zh-Hans'],
    ['zh-Hans-HK', 'zh-Hans'],
    ['zh-TW', null],
    ['zh-TW, ja;q=0.5', 'ja'],
    ['zh-Hant', null],
    ['zh-HK;q=0.9, en;q=0.1', 'en'],
    ['ar-EG', 'ar'],
    ['ar-Latn', null],
    ['ja-JP', 'ja'],
    ['es-419', 'es'],
    ['en-US', 'en'],
    ['sr-Latn', null],
    ['de;q=0', null],
    ['de;q=0, en', 'en'],
    ['de;q=2', null],
    ['de; q=0.5 , en;q=0.4', 'de'],
    ['de;q=abc', null],
    ['d', null],
    ['../../de', null],
    ['de\u0000', null],
    ['', null],
    [undefined, null],
    ['x-private', null],
    ['und', null],
    [`${'nl,'.repeat(10)}de`, null],
    [`${' '.repeat(1000)}de`, null],
  ])('%j finds %j', (header, expected) => {
    expect(found(header)).toBe(expected);
  });

  it('of 8 KiB is read only at its beginning', () => {
    expect(found(`fr,${'x-klingon;q=0.9,'.repeat(512)}`)).toBe('fr');
    expect(rangesOf('a-b,'.repeat(2048)).length).toBeLessThanOrEqual(10);
  });

  it('finds the region that it asks for, else the language without a region, else the first', () => {
    expect(lookup(['en-GB'], ['en-US', 'en', 'en-GB'])).toBe('en-GB');
    expect(lookup(['en-AU'], ['en-US', 'en', 'en-GB'])).toBe('en');
    expect(lookup(['en-AU'], ['en-US', 'en-GB'])).toBe('en-US');
  });
});

describe('a locale', () => {
  it.each([
    ['DE-ch', 'de-CH'],
    ['de-CH-u-ca-buddhist', 'de-CH'],
    ['zh-hans-cn', 'zh-Hans-CN'],
    ['klingon', 'klingon'],
    ['../../de', null],
    ['de_CH', null],
    ['x-private', null],
    ['', null],
    [`de-${'a'.repeat(8)}-${'b'.repeat(8)}-${'c'.repeat(8)}-${'d'.repeat(8)}`, null],
  ])('%j is kept as %j', (tag, kept) => {
    expect(canonicalLocale(tag)).toBe(kept);
  });
});

describe('a time zone', () => {
  it.each(['Europe/Zurich', 'Asia/Tokyo', 'UTC', 'America/Argentina/Buenos_Aires'])('may be %s', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  it.each(['Mars/Olympus', '+02:00', '-05:30', '', 'Europe/../Zurich', 'utc\u0000'])(
    'may not be %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});
