import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** A key that is derived from a secret for one purpose; nothing made with it is valid for another one (RFC 5869). */
export function derivedKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}
