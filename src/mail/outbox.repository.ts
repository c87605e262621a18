import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { type Leased, LeasedQueueRepository } from '../queues/leased-queue.repository.js';
import type { QueueNames } from '../queues/queue-names.js';
import { Encryption } from '../secrets/encryption.js';
import type { Mail } from './mailer.js';

/** A mail that still fails so long after it was written is given up. */
const GIVEN_UP_AFTER_DAYS = 3;

/** The queue of mails. They all go to the provider that is configured at present. */
export const OUTBOX: QueueNames = {
  table: 'outbox_mails',
  channel: 'outbox',
  claimed: `
    kind, recipient AS "to", language, subject, content, coalesce(expires_at <= now(), false) AS "isExpired",
    created_at <= now() - interval '${GIVEN_UP_AFTER_DAYS} days' AS "isOld"`,
  content: 'content',
  outages: { table: 'mail_outages', endpoint: 'provider', refused: 'is_key_refused' },
};

type Content = Pick<Mail, 'text' | 'html'>;

/** A mail that is ours to send until its lease ends. */
export interface ClaimedMail extends Leased {
  kind: string;
  to: string;
  language: string;
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
export class OutboxRepository {
  /** Hides the links of mails that wait from a person who reads the database: a live one opens an account. */
  private readonly encryption: Encryption;

  /** The mails that wait for the worker. */
  readonly queue: LeasedQueueRepository<ClaimedMail>;

  constructor(database: DataSource, { jwtSecretKey }: Environment) {
    this.queue = new LeasedQueueRepository(database, OUTBOX);
    this.encryption = new Encryption(jwtSecretKey, 'mail');
  }

  /** Writes a mail down, and wakes the workers when the transaction commits. */
  async post({ kind, to, language, subject, text, html, expiresAt }: Mail, tx: Transaction): Promise<void> {
    const content = this.encryption.encrypt(JSON.stringify({ text, html } satisfies Content));
    await tx.query(
      `WITH mail AS (
         INSERT INTO outbox_mails (id, kind, recipient, subject, content, expires_at, language)
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id
       )
       SELECT pg_notify('${OUTBOX.channel}', '') FROM mail`,
      [uuidv7(), kind, to, subject, content, expiresAt ?? null, language],
    );
  }

  /**
   * Writes down a mail to be sent at an instant, in place of one of its kind that waits for the same address. It counts
   * as written then: until that it is not late.
   */
  async postAt(
    dueAt: Date,
    { kind, to, language, subject, text, html, expiresAt }: Mail,
    tx: Transaction,
  ): Promise<void> {
    const content = this.encryption.encrypt(JSON.stringify({ text, html } satisfies Content));
    await tx.query(
      `WITH replaced AS (
         UPDATE outbox_mails SET subject = $4, content = $5, expires_at = $6, language = $8
          WHERE recipient = $3 AND kind = $2 AND finished_at IS NULL AND due_at > now() RETURNING id
       ), mail AS (
         INSERT INTO outbox_mails (id, kind, recipient, subject, content, expires_at, created_at, due_at, language)
         SELECT $1, $2, $3, $4, $5, $6, $7, $7, $8 WHERE NOT EXISTS (SELECT FROM replaced) RETURNING id
       )
       SELECT pg_notify('${OUTBOX.channel}', '') FROM mail`,
      [uuidv7(), kind, to, subject, content, expiresAt ?? null, dueAt, language],
    );
  }

  /** When a mail of a kind was last posted to an address, if that was within so many seconds. */
  async lastPosted(kind: string, to: string, seconds: number, tx: Transaction): Promise<Date | null> {
    const [posted] = await tx.query<{ at: Date }[]>(
      `SELECT created_at AS at FROM outbox_mails
        WHERE recipient = $1 AND kind = $2 AND created_at > now() - make_interval(secs => $3)
        ORDER BY id DESC LIMIT 1`,
      [to, kind, seconds],
    );
    return posted?.at ?? null;
  }

  /**
   * The language of the first warning about an account within so many hours, or since one of an instant; null where there was none.
   * Each has a link, whose token is of the same instant and tells the account: an address may have been that of another one.
   */
  async firstLanguage(userId: string, since: Date, hours: number, tx: Transaction): Promise<string | null> {
    const [posted] = await tx.query<{ language: string }[]>(
      `SELECT m.language
         FROM one_time_tokens t JOIN outbox_mails m ON m.recipient = t.sent_to AND m.created_at = t.created_at
        WHERE t.user_id = $1 AND t.purpose = 'secure-account'
          AND t.created_at >= least($2, now() - make_interval(hours => $3))
        ORDER BY t.created_at, m.id LIMIT 1`,
      [userId, since, hours],
    );
    return posted?.language ?? null;
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
