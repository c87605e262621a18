import { dictionary } from '@zxcvbn-ts/language-common';

const COMMON = new Set<string>(dictionary['passwords-common']);

/** Characters around a common password that do not make it uncommon: `Password1!`. */
const MAX_DECORATION = 4;

/** Whether a password is among the some 50,000 most used, in any case, with or without digits and signs around it. */
export function isCommon(password: string): boolean {
  const plain = password.toLowerCase();
  const core = plain.replace(/^\P{L}+|\P{L}+$/gu, '');
  return COMMON.has(plain) || (COMMON.has(core) && plain.length - core.length <= MAX_DECORATION);
}
