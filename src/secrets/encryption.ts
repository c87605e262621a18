import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Secrets } from '../config/environment.js';
import { derivedKey } from './derived-key.js';
import { withAnyOf } from './with-any-of.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts texts that a reader of the database must not learn: only a holder of the service's secret can decrypt them.
 * The first of the secrets encrypts, any of them decrypts.
 */
export class Encryption {
  private readonly keys: readonly [Uint8Array, ...Uint8Array[]];

  /** What is encrypted for one purpose cannot be decrypted as if it were for another. */
  constructor([secret, ...formerSecrets]: Secrets, purpose: string) {
    const keyFrom = (each: string) => derivedKey(each, purpose);
    this.keys = [keyFrom(secret), ...formerSecrets.map(keyFrom)];
  }

  encrypt(text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0], nonce);
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
  }

  /** Throws when it was encrypted with none of the secrets, or altered since. */
  decrypt(encrypted: Buffer): string {
    return withAnyOf(this.keys, (key) => decryptWith(key, encrypted));
  }

  /** The same text, encrypted with the first of the secrets. Returns null when that is how it was encrypted. */
  renew(encrypted: Buffer): Buffer | null {
    try {
      decryptWith(this.keys[0], encrypted);
      return null;
    } catch {
      return this.encrypt(this.decrypt(encrypted));
    }
  }
}

function decryptWith(key: Uint8Array, encrypted: Buffer): string {
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(encrypted.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}
