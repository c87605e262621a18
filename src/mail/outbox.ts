import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { Encryption } from '../secrets/encryption.js';
import type { Mail } from './mailer.js';
import type { Outcome } from './outbox-mail.entity.js';

/**
 * After this a worker counts as dead. It is longer than the wait for a provider, so that no living one is overtaken.
 */
const LEASE_SECONDS = 60;

type Content = Pick<Mail, 'text' | 'html'>;

/** A mail that is ours to send until its lease ends. */
export interface ClaimedMail {
  id: string;
  kind: string;
  to: string;
  subject: string;
  /** Null when it was encrypted with a secret that `SVC_JWT_SECRET_KEY` no longer holds. */
  content: Content | null;
  attempts: number;
  isExpired: boolean;
  /** Whether it is the one mail that shows if an outage is over. */
  isProbe: boolean;
}

/**
 * Where every mail is posted: written down in the transaction of the change it reports, so that there is neither a
 * change without its mail nor a mail without its change. A worker claims it once the transaction is committed, tries
 * it, and finishes it once.
 */
@Injectable()
export class Outbox {
  /** Hides the links of mails that wait from a person who reads the database: a live one opens an account. */
  private readonly encryption: Encryption;

  constructor(
    private readonly database: DataSource,
    { jwtSecretKey }: Environment,
  ) {
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
       SELECT pg_notify('outbox', '') FROM mail`,
      [uuidv7(), kind, to, subject, content, expiresAt ?? null],
    );
  }

  /**
   * Claims the mails that may be tried, oldest first; a provider that is down gets one mail to try, and none during its
   * pause.
   */
  async claim(provider: string, limit: number): Promise<ClaimedMail[]> {
    const mails = await this.database.query<(Omit<ClaimedMail, 'content'> & { content: Buffer })[]>(
      `WITH outage AS (
         SELECT paused_until > now() AS is_paused FROM mail_outages WHERE provider = $1
       ), due AS (
         SELECT id FROM outbox_mails
          WHERE finished_at IS NULL AND due_at <= now() AND (leased_until IS NULL OR leased_until <= now())
            AND NOT EXISTS (SELECT FROM outage WHERE is_paused)
          ORDER BY id LIMIT CASE WHEN EXISTS (SELECT FROM outage) THEN 1 ELSE $2::int END
            FOR UPDATE SKIP LOCKED
       ), claimed AS (
         UPDATE outbox_mails m
            SET attempts = attempts + 1, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
           FROM due WHERE m.id = due.id
         RETURNING m.*
       )
       SELECT id, kind, recipient AS "to", subject, content, attempts, coalesce(expires_at <= now(), false) AS "isExpired",
              EXISTS (SELECT FROM outage) AS "isProbe"
         FROM claimed ORDER BY id`,
      [provider, limit],
    );
    return mails.map((mail) => ({ ...mail, content: this.decrypted(mail.content) }));
  }

  /** Milliseconds until the next mail may be tried; null when none waits. */
  async untilDueMs(provider: string): Promise<number | null> {
    const [next] = await this.database.query(
      `SELECT ceil(1000 * extract(epoch FROM greatest(
                min(greatest(due_at, leased_until)),
                (SELECT paused_until FROM mail_outages WHERE provider = $1)
              ) - now()))::int AS ms
         FROM outbox_mails WHERE finished_at IS NULL HAVING count(*) > 0`,
      [provider],
    );
    return next ? Math.max(0, next.ms) : null;
  }

  /**
   * Ends a mail and drops its content, except that of a dead letter, which an operator may want to send again. A
   * worker that has sent it always ends it; for another outcome it must be the worker that claimed the mail last.
   */
  async finish({ id, attempts }: ClaimedMail, outcome: Outcome, error: string | null = null): Promise<void> {
    await this.database.query(
      `UPDATE outbox_mails
          SET finished_at = now(), outcome = $2, last_error = $3, leased_until = NULL,
              content = CASE WHEN $2 = 'dead' THEN content END
        WHERE id = $1 AND finished_at IS NULL AND ($2 = 'sent' OR attempts = $4)`,
      [id, outcome, error, attempts],
    );
  }

  /**
   * Puts a mail off, unless another worker has claimed it meanwhile: twice as long each time up to half a minute,
   * then for a tenth of its age, and less by chance, so that not all come back at once.
   */
  async postpone({ id, attempts }: ClaimedMail, error: string): Promise<void> {
    await this.database.query(
      `UPDATE outbox_mails
          SET last_error = $3, leased_until = NULL,
              due_at = now() + (0.5 + random() / 2) * least(
                make_interval(secs => 2 ^ least($2, 10)),
                greatest(interval '30 seconds', (now() - created_at) / 10))
        WHERE id = $1 AND attempts = $2 AND finished_at IS NULL`,
      [id, attempts, error],
    );
  }

  /** Lets workers try all postponed mails at once; those under way stay with their workers. */
  async retryPostponed(): Promise<void> {
    await this.database.query(
      'UPDATE outbox_mails SET due_at = now() WHERE finished_at IS NULL AND due_at > now()',
    );
  }

  private decrypted(content: Buffer): Content | null {
    try {
      return JSON.parse(this.encryption.decrypt(content));
    } catch {
      return null;
    }
  }
}
