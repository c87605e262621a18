import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { type Leased, LeasedQueue } from '../jobs/leased-queue.js';
import type { QueueNames } from '../jobs/queue-names.js';
import { Encryption } from '../secrets/encryption.js';
import type { Mail } from './mailer.js';

/** A mail that still fails so long after it was written is given up. */
const GIVEN_UP_AFTER_DAYS = 3;

/** The queue of mails. They all go to the provider that is configured at present. */
export const OUTBOX: QueueNames = {
  table: 'outbox_mails',
  channel: 'outbox',
  claimed: `
    kind, recipient AS "to", subject, content, coalesce(expires_at <= now(), false) AS "isExpired",
    created_at <= now() - interval '${GIVEN_UP_AFTER_DAYS} days' AS "isOld"`,
  content: 'content',
  outages: { table: 'mail_outages', lane: 'provider', refused: 'is_key_refused' },
};

type Content = Pick<Mail, 'text' | 'html'>;

/** A mail that is ours to send until its lease ends. */
export interface ClaimedMail extends Leased {
  kind: string;
  to: string;
  subject: string;
  /** Encrypted. */
  content: Buffer;
  isExpired: boolean;
  /** Whether it is old enough to be given up. */
  isOld: boolean;
}

/**
 * Where every mail is posted: written down in the transaction of the change it reports, so that there is neither a
 * change without its mail nor a mail without its change.
 */
@Injectable()
export class Outbox {
  /** Hides the links of mails that wait from a person who reads the database: a live one opens an account. */
  private readonly encryption: Encryption;

  /** The mails that wait for the worker. */
  readonly queue: LeasedQueue<ClaimedMail>;

  constructor(database: DataSource, { jwtSecretKey }: Environment) {
    this.queue = new LeasedQueue(database, OUTBOX);
    this.encryption = new Encryption(jwtSecretKey, 'mail');
  }

  /** Writes a mail down, and wakes the workers when the transaction commits. */
  async post({ kind, to, subject, text, html, expiresAt }: Mail, tx: Transaction): Promise<void> {
    const content = this.encryption.encrypt(JSON.stringify({ text, html } satisfies Content));
    await tx.query(
      `WITH mail AS (
         INSERT INTO outbox_mails (id, kind, recipient, subject, content, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
       )
       SELECT pg_notify('${OUTBOX.channel}', '') FROM mail`,
      [uuidv7(), kind, to, subject, content, expiresAt ?? null],
    );
  }

  /** Returns null when it was encrypted with a secret that `SVC_JWT_SECRET_KEY` no longer holds. */
  contentOf({ content }: ClaimedMail): Content | null {
    try {
      return JSON.parse(this.encryption.decrypt(content));
    } catch {
      return null;
    }
  }
}
