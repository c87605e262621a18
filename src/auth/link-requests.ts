import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { type Actor, Audit } from '../audit/audit.js';
import type { Job } from '../background/job-loop.js';
import { Limits } from '../limits/limits.js';
import type { Mail } from '../mail/mailer.js';
import { Messages } from '../mail/messages.js';
import { Outbox } from '../mail/outbox.js';
import type { LinkRequest } from './link-request.entity.js';
import { type IssuedToken, OneTimeTokens } from './one-time-tokens.js';

/** Requests fulfilled in one transaction. */
const BATCH = 20;

type RequestedPurpose = 'verify-email' | 'reset-password';

interface WaitingRequest extends Pick<LinkRequest, 'email' | 'ip' | 'userAgent'> {
  purpose: RequestedPurpose;
}

/**
 * Links that somebody asked for, by nothing but an address. The request only writes the wish down, whatever the
 * address, so that neither its answer nor its time tells whether there is an account; who it is for is found out
 * afterwards.
 */
@Injectable()
export class LinkRequests implements Job {
  readonly name = 'link_requests';

  constructor(
    private readonly limits: Limits,
    private readonly database: DataSource,
    private readonly tokens: OneTimeTokens,
    private readonly messages: Messages,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  async request(email: string, purpose: RequestedPurpose, { ip, userAgent }: Actor): Promise<void> {
    await this.limits.take('mailPerAddress', `${purpose} ${email}`);
    await this.database.query(
      `WITH request AS (
         INSERT INTO link_requests (id, purpose, email, ip, user_agent) VALUES ($1, $2, $3, $4, $5) RETURNING id
       )
       SELECT pg_notify('link_requests', '') FROM request`,
      [uuidv7(), purpose, email, ip, userAgent],
    );
  }

  async work(signal: AbortSignal): Promise<null> {
    while (!signal.aborted && (await this.fulfilOldest()) === BATCH);
    return null;
  }

  /** Mails the links of the oldest requests whose addresses have accounts that may use one, and returns how many there were. */
  private fulfilOldest(): Promise<number> {
    return this.database.transaction(async (manager) => {
      const requests = await takeOldest(manager);
      for (const request of requests) {
        const issued = await this.tokens.issue(request.email, request.purpose, manager);
        if (!issued) continue;
        await this.outbox.post(this.mailFor(request.purpose, issued), manager);
        if (request.purpose === 'reset-password') await this.record(request, issued, manager);
      }
      return requests.length;
    });
  }

  private mailFor(purpose: RequestedPurpose, issued: IssuedToken): Mail {
    return purpose === 'verify-email'
      ? this.messages.verification(issued)
      : this.messages.passwordReset(issued);
  }

  private record({ ip, userAgent }: WaitingRequest, { userId }: IssuedToken, manager: EntityManager) {
    const by = { userId: null, ip, userAgent };
    return this.audit.record({ type: 'password.link_requested', by, userId }, manager);
  }
}

async function takeOldest(manager: EntityManager): Promise<WaitingRequest[]> {
  return manager.query(
    `WITH oldest AS (
       SELECT id FROM link_requests ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
     ), taken AS (
       DELETE FROM link_requests r USING oldest WHERE r.id = oldest.id RETURNING r.*
     )
     SELECT purpose, email, ip, user_agent AS "userAgent" FROM taken ORDER BY id`,
  );
}
