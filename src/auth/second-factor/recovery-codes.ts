import { mintBase32Code } from '../../secrets/base32-code.js';
import { hashToken } from '../../secrets/token.js';
import { typedBase32 } from '../../validation/typed-code.js';

const CODES = 10;
const CHARACTERS = 16;

/** Ten codes of 80 random bits, such as `7Q4M-0ZK2-HX9T-C3VB`. */
export function mintRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => mintBase32Code(CHARACTERS));
}

/** What the table stores of a code, as it was minted or as a user typed it. */
export function hashRecoveryCode(code: string): Buffer {
  return hashToken(typedBase32(code));
}
