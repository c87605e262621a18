import { dictionary } from '@zxcvbn-ts/language-common';

const COMMON = new Set<string>(dictionary['passwords-common']);
const MAX_LENGTH = Math.max(...[...COMMON].map(({ length }) => length));

/** A password as its core and what decorates it: `Summer` in `*Summer2026!`; a number is decorated by signs alone. */
const DECORATED_WORD = /^(?<before>\P{L}*)(?<core>\p{L}.*\p{L}|\p{L})(?<after>\P{L}*)$/su;
const DECORATED_NUMBER = /^(?<before>\D*)(?<core>\d.*\d|\d)(?<after>\D*)$/su;

/**
 * Whether a password is among the some 50,000 most used, in any case, whatever digits and signs stand around it:
 * programs that guess add them too. Some of the most used have a few themselves, so each amount is tried.
 */
export function isCommon(password: string): boolean {
  const plain = password.toLowerCase();
  const { before = '', core = plain, after = '' } = partsOf(plain);

  for (let start = before.length; start >= 0 && before.length - start + core.length <= MAX_LENGTH; start--) {
    const begun = before.slice(start) + core;
    for (let end = 0; end <= after.length && begun.length + end <= MAX_LENGTH; end++)
      if (COMMON.has(begun + after.slice(0, end))) return true;
  }
  return false;
}

function partsOf(plain: string): Record<string, string> {
  return (DECORATED_WORD.exec(plain) ?? DECORATED_NUMBER.exec(plain))?.groups ?? {};
}
