import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../../audit/transactions.js';
import type { Actor } from '../../http/caller.js';
import { Limits } from '../../rate-limits/limits.js';
import type { LinkRequest } from './link-request.entity.js';

/** What was asked for, and where from. */
export type WaitingRequest = Pick<LinkRequest, 'purpose' | 'email' | 'signupId' | 'ip' | 'userAgent'>;

/**
 * Links and notices asked for with nothing but an address. A request is only written down, whatever the address, so that
 * neither its answer nor its time tells whether there is an account; that is looked up afterwards.
 */
@Injectable()
export class LinkRequests {
  constructor(
    private readonly limits: Limits,
    private readonly database: DataSource,
  ) {}

  /**
   * Asks for a link to set a new password. Within a minute it is not mailed again: the link already mailed is good, and
   * the answer is alike. Nothing else counts against this limit, so that no signup or invitation of a stranger keeps an
   * owner from the way back.
   */
  async request(email: string, { ip, userAgent }: Actor): Promise<void> {
    const purpose = 'reset-password';
    await this.limits.onceAMinute(`${purpose} ${email}`, async () => {
      await this.limits.take('forgotPerAddress', email);
      await this.insert({ purpose, email, signupId: null, ip, userAgent });
    });
  }

  /** Asks for the link of a signup. The caller counts it against the limit. */
  async requestFor(
    { id: signupId, email }: { id: string; email: string },
    purpose: 'sign-up' | 'verify-email',
    tx: Transaction,
  ): Promise<void> {
    const { ip, userAgent } = tx.by;
    await this.insert({ purpose, email, signupId, ip, userAgent }, tx);
  }

  /** Asks to tell the owner of an address, where it has an account, that this takes no more attempts for a while. */
  async requestNotice(email: string, tx: Transaction): Promise<void> {
    const { ip, userAgent } = tx.by;
    await this.insert({ purpose: 'login-limited', email, signupId: null, ip, userAgent }, tx);
  }

  /** Takes the oldest request that no other worker has taken; the commit of the transaction deletes it. */
  async takeOldest(tx: Transaction): Promise<WaitingRequest | null> {
    const [taken] = await tx.query<WaitingRequest[]>(
      `WITH oldest AS (
         SELECT id FROM link_requests ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
       ), taken AS (
         DELETE FROM link_requests r USING oldest WHERE r.id = oldest.id RETURNING r.*
       )
       SELECT purpose, email, signup_id AS "signupId", ip, user_agent AS "userAgent" FROM taken`,
    );
    return taken ?? null;
  }

  /** Stores a request, and notifies the workers when the transaction commits. */
  private async insert(
    { purpose, email, signupId, ip, userAgent }: WaitingRequest,
    tx: Transaction | DataSource = this.database,
  ): Promise<void> {
    await tx.query(
      `WITH request AS (
         INSERT INTO link_requests (id, purpose, email, signup_id, ip, user_agent)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
       )
       SELECT pg_notify('link_requests', '') FROM request`,
      [uuidv7(), purpose, email, signupId, ip, userAgent],
    );
  }
}
