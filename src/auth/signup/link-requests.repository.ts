import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../../audit/transactions.js';
import type { LinkRequest } from './link-request.entity.js';

/** What was asked for, and where from. */
export type WaitingRequest = Pick<LinkRequest, 'purpose' | 'email' | 'signupId' | 'ip' | 'userAgent'>;

@Injectable()
export class LinkRequestsRepository {
  constructor(private readonly database: DataSource) {}

  /** Stores a request, and notifies the workers when the transaction commits. */
  async insert(
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
}
