import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { derivedKey } from '../secrets/derived-key.js';

/** What the first event of a chain follows. */
export const CHAIN_START = Buffer.alloc(32);

/** An event as its chain has it. */
interface Linked {
  text: string;
  hash: Buffer | null;
  seal: Buffer | null;
}

/** The keys that come from one secret. */
interface Keys {
  link: Uint8Array;
  seal: Uint8Array;
}

/**
 * Links events, and seals those that a former secret has linked, so that they stay proven when it is gone. Keyed, so
 * that an attacker who can write the table still cannot forge a whole chain.
 */
@Injectable()
export class AuditHash {
  private readonly current: Keys;
  private readonly former: Keys[];

  constructor({ jwtSecretKey: [secret, ...formerSecrets] }: Environment) {
    this.current = keysFrom(secret);
    this.former = formerSecrets.map(keysFrom);
  }

  /** The hash of an event that follows another. */
  of(eventText: string, previous: Buffer = CHAIN_START): Buffer {
    return hmac(this.current.link, previous, eventText);
  }

  /** The seal of an event, which binds it to its hash. */
  sealOf(text: string, hash: Buffer): Buffer {
    return hmac(this.current.seal, hash, text);
  }

  /** Whether an event that follows another is as it was recorded, under the current secret or a former one. */
  isProven(event: Linked, previous: Buffer): boolean {
    return this.isCurrent(event, previous) || this.former.some((keys) => isProvenBy(keys, event, previous));
  }

  /** Whether an event stays proven when the former secrets are gone. */
  isCurrent(event: Linked, previous: Buffer): boolean {
    return isProvenBy(this.current, event, previous);
  }
}

function keysFrom(secret: string): Keys {
  return { link: derivedKey(secret, 'audit'), seal: derivedKey(secret, 'audit seal') };
}

function isProvenBy({ link, seal: sealing }: Keys, { text, hash, seal }: Linked, previous: Buffer): boolean {
  if (hash === null) return false;
  return hmac(link, previous, text).equals(hash) || (seal !== null && hmac(sealing, hash, text).equals(seal));
}

function hmac(key: Uint8Array, before: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(before).update(text).digest();
}
