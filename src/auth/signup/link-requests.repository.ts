import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import { Encryption } from '../../secrets/encryption.js';
import type { MailedPair } from '../mailed-codes/mailed-codes.js';
import type { LinkRequest } from './link-request.entity.js';

/** What was asked for, and where from. */
export type WaitingRequest = Pick<
  LinkRequest,
  'purpose' | 'email' | 'signupId' | 'ip' | 'userAgent' | 'locale'
> & {
  /** What to mail. Null for a notice, and where no key of the settings decrypts it. */
  mailed: MailedPair | null;
};

@Injectable()
export class LinkRequestsRepository {
  /** Hides what is about to be mailed from a person who reads the database: a live token opens an account. */
  private readonly encryption: Encryption;

  constructor({ jwtSecretKey }: Environment) {
    this.encryption = new Encryption(jwtSecretKey, 'link request');
  }

  /** Stores a request, and notifies the workers when the transaction commits. */
  async insert(
    { purpose, email, signupId, ip, userAgent, locale, mailed }: WaitingRequest,
    tx: Transaction,
  ): Promise<void> {
    const secrets = mailed && this.encryption.encrypt(JSON.stringify(mailed));
    await tx.query(
      `WITH request AS (
         INSERT INTO link_requests (id, purpose, email, signup_id, ip, user_agent, secrets, locale)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id
       )
       SELECT pg_notify('link_requests', '') FROM request`,
      [uuidv7(), purpose, email, signupId, ip, userAgent, secrets, locale],
    );
  }

  /** Takes the oldest request that no other worker has taken; the commit of the transaction deletes it. */
  async takeOldest(tx: Transaction): Promise<WaitingRequest | null> {
    const [taken] = await tx.query<(WaitingRequest & Pick<LinkRequest, 'secrets'>)[]>(
      `WITH oldest AS (
         SELECT id FROM link_requests ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
       ), taken AS (
         DELETE FROM link_requests r USING oldest WHERE r.id = oldest.id RETURNING r.*
       )
       SELECT purpose, email, signup_id AS "signupId", ip, user_agent AS "userAgent", secrets, locale FROM taken`,
    );
    return taken ? { ...taken, mailed: this.open(taken.secrets) } : null;
  }

  private open(secrets: Buffer | null): MailedPair | null {
    if (secrets === null) return null;
    try {
      const { token, code } = JSON.parse(this.encryption.decrypt(secrets));
      return { token, code: { code: code.code, expiresAt: new Date(code.expiresAt) } };
    } catch {
      return null;
    }
  }
}
