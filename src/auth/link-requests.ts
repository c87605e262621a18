import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Job } from '../background/job-loop.js';
import { Limits } from '../limits/limits.js';
import { Messages } from '../mail/messages.js';
import { Outbox } from '../mail/outbox.js';
import { OneTimeTokens } from './one-time-tokens.js';

type RequestedPurpose = 'verify-email' | 'reset-password';

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
  ) {}

  async request(email: string, purpose: RequestedPurpose): Promise<void> {
    await this.limits.take('mailPerAddress', `${purpose} ${email}`);
    await this.database.query(
      `WITH request AS (INSERT INTO link_requests (id, purpose, email) VALUES ($1, $2, $3) RETURNING id)
       SELECT pg_notify('link_requests', '') FROM request`,
      [uuidv7(), purpose, email],
    );
  }

  async work(signal: AbortSignal): Promise<null> {
    while (!signal.aborted && (await this.fulfilOldest()));
    return null;
  }

  /** Mails the link of the oldest request, if its address has an account that may use one. Returns false when there is none. */
  private fulfilOldest(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const request = await takeOldest(manager);
      if (!request) return false;

      const issued = await this.tokens.issue(request.email, request.purpose, manager);
      if (!issued) return true;
      const mail =
        request.purpose === 'verify-email'
          ? this.messages.verification(issued)
          : this.messages.passwordReset(issued);
      await this.outbox.post(mail, manager);
      return true;
    });
  }
}

async function takeOldest(
  manager: EntityManager,
): Promise<{ email: string; purpose: RequestedPurpose } | undefined> {
  const [request] = await manager.query(
    `WITH oldest AS (
       SELECT id FROM link_requests ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
     ), taken AS (
       DELETE FROM link_requests r USING oldest WHERE r.id = oldest.id RETURNING r.email, r.purpose
     )
     SELECT email, purpose FROM taken`,
  );
  return request;
}
