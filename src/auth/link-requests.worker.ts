import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../audit/audit.js';
import type { Job } from '../background/job-loop.js';
import type { Mail } from '../mail/mailer.js';
import { Messages } from '../mail/messages.js';
import { Outbox } from '../mail/outbox.js';
import { LinkRequestsRepository, type WaitingRequest } from './link-requests.repository.js';
import { type IssuedToken, OneTimeTokens } from './one-time-tokens.js';

/** Requests fulfilled in one transaction. */
const BATCH = 20;

/** Mails the links that were asked for, to those addresses whose account may have one. */
@Injectable()
export class LinkRequestsWorker implements Job {
  readonly name = 'link_requests';

  constructor(
    private readonly requests: LinkRequestsRepository,
    private readonly database: DataSource,
    private readonly tokens: OneTimeTokens,
    private readonly messages: Messages,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  async work(signal: AbortSignal): Promise<null> {
    while (!signal.aborted && (await this.fulfilOldest()) === BATCH);
    return null;
  }

  /** Mails what the oldest requests ask for, and returns how many there were. */
  private fulfilOldest(): Promise<number> {
    return this.database.transaction(async (manager) => {
      const requests = await this.requests.takeOldest(BATCH, manager);
      for (const request of requests) {
        const mail = await this.mailFor(request, manager);
        if (mail) await this.outbox.post(mail, manager);
      }
      return requests.length;
    });
  }

  /** Returns null when the account may not have the link, or there is none. */
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
