import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { type Actor, Audit } from '../audit/audit.js';
import type { Job } from '../background/job-loop.js';
import { Limits } from '../limits/limits.js';
import type { Mail } from '../mail/mailer.js';
import { Messages } from '../mail/messages.js';
import { Outbox } from '../mail/outbox.js';
import type { LinkRequest, RequestedPurpose } from './link-request.entity.js';
import { type IssuedToken, OneTimeTokens } from './one-time-tokens.js';

/** Requests fulfilled in one transaction. */
const BATCH = 20;

type WaitingRequest = Pick<LinkRequest, 'purpose' | 'email' | 'ip' | 'userAgent'>;

/**
 * Links asked for with nothing but an address. A request is only written down, whatever the address, so that neither
 * its answer nor its time tells whether there is an account; that is looked up afterwards.
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

  async request(email: string, purpose: RequestedPurpose, by: Actor): Promise<void> {
    await this.limits.take('mailPerAddress', `${purpose} ${email}`);
    await this.note(email, purpose, by);
  }

  /** Writes a request down, without counting it against a limit. */
  async note(
    email: string,
    purpose: RequestedPurpose,
    { ip, userAgent }: Actor,
    manager = this.database.manager,
  ): Promise<void> {
    await manager.query(
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

  /** Mails what the oldest requests ask for, where the account may have it, and returns how many there were. */
  private fulfilOldest(): Promise<number> {
    return this.database.transaction(async (manager) => {
      const requests = await takeOldest(manager);
      for (const request of requests) {
        const mail = await this.mailFor(request, manager);
        if (mail) await this.outbox.post(mail, manager);
      }
      return requests.length;
    });
  }

  private async mailFor(request: WaitingRequest, manager: EntityManager): Promise<Mail | null> {
    const { email, purpose } = request;
    if (purpose === 'sign-up-again') return this.messages.alreadyRegistered(email);

    const issued = await this.tokens.issue(email, purpose, manager);
    if (!issued) return null;
    if (purpose === 'verify-email') return this.messages.verification(issued);
    await this.record(request, issued, manager);
    return this.messages.passwordReset(issued);
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
