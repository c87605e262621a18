import { hash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A fresh secret for a cookie or a link: 256 random bits, base64url. */
export function mintToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether a text has the form of such a secret. */
export function isMintedToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/**
 * What a table stores of a token. A token is random, so one round of SHA-256 is enough. The function is synchronous,
 * because a job on libuv's threads would wait there behind password hashes.
 */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
