import { createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';

const KEY_BYTES = 32;

/** What the first event of a chain follows. */
export const CHAIN_START = Buffer.alloc(32);

/** Links events. Keyed, so that who can write the table cannot write all of it anew. */
@Injectable()
export class AuditHash {
  private readonly key: Uint8Array;

  constructor({ jwtSecretKey }: Environment) {
    this.key = new Uint8Array(hkdfSync('sha256', jwtSecretKey, '', 'audit', KEY_BYTES));
  }

  /** The hash of an event that follows another. */
  of(eventText: string, previous: Buffer = CHAIN_START): Buffer {
    return createHmac('sha256', this.key).update(previous).update(eventText).digest();
  }
}
