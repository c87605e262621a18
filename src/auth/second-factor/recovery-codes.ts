import { randomBytes } from 'node:crypto';
import { hashToken } from '../../secrets/token.js';
import { typedBase32 } from '../../validation/typed-code.js';

const CODES = 10;
const CHARACTERS = 16;

/** Crockford's Base32: no I, L, O or U, which readers mistake for others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Ten codes of 80 random bits, such as `7Q4M-0ZK2-HX9T-C3VB`. */
export function mintRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    // 256 is a multiple of 32: each character is as likely as the others.
    const characters = [...randomBytes(CHARACTERS)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
    return characters.join('').replace(/.{4}(?=.)/g, '$&-');
  });
}

/** What the table stores of a code, as it was minted or as a user typed it. */
export function hashRecoveryCode(code: string): Buffer {
  return hashToken(typedBase32(code));
}
