import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** A key made of a secret for one purpose alone: what is made with it is good for no other (RFC 5869). */
export function derivedKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}
