import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { dictionary } from '@zxcvbn-ts/language-common';
import fc from 'fast-check';
import { isCommon } from '../../src/passwords/common-passwords.js';

const COMMON = dictionary['passwords-common'] as string[];
const common = (form: RegExp) => fc.constantFrom(...COMMON.filter((password) => form.test(password)));
const decoration = (form: RegExp) => fc.stringMatching(form);

describe('a common password', () => {
  it('stays common in any case, whatever digits and signs stand around it', async () => {
    const signs = decoration(/^[^\p{L}\p{So}]{0,60}$/u);
    const word = fc.tuple(common(/\p{L}/u), signs, signs);

    await fc.assert(
      fc.asyncProperty(word, fc.boolean(), ([password, before, after], isLoud) => {
        // Some signs become letters in capitals: of U+0345 an iota, which makes another password.
        fc.pre(!isLoud || !/\p{L}/u.test((before + after).toUpperCase()));
        const plain = before + password + after;
        return isCommon(isLoud ? plain.toUpperCase() : plain);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays common when it is a number, whatever signs stand around it', async () => {
    const number = fc.tuple(common(/^\d+$/), decoration(/^[!-/]{0,60}$/), decoration(/^[!-/]{0,60}$/));

    await fc.assert(
      fc.asyncProperty(number, ([password, before, after]) => isCommon(before + password + after)),
      { numRuns: 2_000 },
    );
  });
});

describe('a password that no list has', () => {
  it.each([
    'correct horse battery staple',
    'summer boats in winter 2026!',
    'Tr0ub4dor&3',
    '8391027465820193',
    '🐎🔋📎🥇 staple 🧷',
    '🐎password1',
    '🧷123456',
  ])('is not common because of the words or digits in it: %s', async (password) => {
    expect(await isCommon(password)).toBe(false);
  });

  it('is not common when a password manager made it', async () => {
    const passwords = Array.from({ length: 5_000 }, () => randomBytes(12).toString('base64'));

    const judged = await Promise.all(passwords.map(isCommon));
    expect(passwords.filter((_, index) => judged[index])).toEqual([]);
  });
});
