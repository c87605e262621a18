import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Secrets } from '../config/environment.js';
import { derivedKey } from './derived-key.js';
import { withAnyOf } from './with-any-of.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keeps what the database must store but not tell: only who has the service's secret can open it. The first one
 * closes, any opens.
 */
export class Seal {
  private readonly keys: readonly [Uint8Array, ...Uint8Array[]];

  /** The purpose keeps what is sealed for one from being opened as another. */
  constructor([secret, ...formerSecrets]: Secrets, purpose: string) {
    const keyFrom = (each: string) => derivedKey(each, purpose);
    this.keys = [keyFrom(secret), ...formerSecrets.map(keyFrom)];
  }

  close(text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.keys[0], nonce);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** Throws when it was sealed with none of the secrets, or altered since. */
  open(sealed: Buffer): string {
    return withAnyOf(this.keys, (key) => openWith(key, sealed));
  }
}

function openWith(key: Uint8Array, sealed: Buffer): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]).toString('utf8');
}
