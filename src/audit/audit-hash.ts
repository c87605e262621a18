import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { derivedKey } from '../secrets/derived-key.js';

const PURPOSE = 'audit';

/** What the first event of a chain follows. */
export const CHAIN_START = Buffer.alloc(32);

/** Links events. Keyed, so that an attacker who can write the table still cannot forge a whole chain. */
@Injectable()
export class AuditHash {
  private readonly key: Uint8Array;
  private readonly formerKeys: Uint8Array[];

  constructor({ jwtSecretKey: [secret, ...formerSecrets] }: Environment) {
    this.key = derivedKey(secret, PURPOSE);
    this.formerKeys = formerSecrets.map((former) => derivedKey(former, PURPOSE));
  }

  /** The hash of an event that follows another. */
  of(eventText: string, previous: Buffer = CHAIN_START): Buffer {
    return hashWith(this.key, eventText, previous);
  }

  /** Whether an event that follows another has this hash, under the current secret or a former one. */
  isOf(hash: Buffer, eventText: string, previous: Buffer): boolean {
    return [this.key, ...this.formerKeys].some((key) => hashWith(key, eventText, previous).equals(hash));
  }
}

function hashWith(key: Uint8Array, eventText: string, previous: Buffer): Buffer {
  return createHmac('sha256', key).update(previous).update(eventText).digest();
}
