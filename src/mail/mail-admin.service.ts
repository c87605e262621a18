import { Injectable } from '@nestjs/common';
import { Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import type { Actor } from '../http/caller.js';
import { type Page, type PageQuery, pageOf } from '../http/page.js';
import { inBatches, type StateCount } from '../queues/queue-ledger.repository.js';
import { MailHealth } from './mail-health.js';
import {
  MAIL_STATES,
  MailLedgerRepository,
  type MailState,
  type MailSummary,
} from './mail-ledger.repository.js';

/** Which mails a list is about. */
interface MailFilter {
  state?: MailState | undefined;
  /** An address, as it is stored. */
  to?: string | undefined;
  /** A part of an address, or how an id begins. */
  search?: string | undefined;
}

/** How the outbox stands, and by which providers it is worked off. */
export interface OutboxState {
  provider: string;
  fallback: string | null;
  isKeyRefused: boolean;
  states: Record<MailState, number>;
  /** When the oldest mail that waits was posted. */
  oldestWaitingAt: Date | null;
}

/** The outbox as an operator sees it, and what they do about dead letters. */
@Injectable()
export class MailAdminService {
  constructor(
    private readonly mails: MailLedgerRepository,
    private readonly health: MailHealth,
    private readonly environment: Environment,
    private readonly transactions: Transactions,
  ) {}

  list(query: MailFilter & PageQuery): Promise<Page<MailSummary>> {
    const { state, to, search } = query;
    return pageOf(query, (before, limit) =>
      search === undefined
        ? this.mails.find(state, to, before, limit)
        : this.mails.search(search, query, before, limit),
    );
  }

  /** Throws NotFound. */
  get(id: string): Promise<MailSummary> {
    return this.mails.get(id);
  }

  countByState(): Promise<StateCount[]> {
    return this.mails.countByState();
  }

  /** How the outbox stands: it counts the mails in each state up to MOST_COUNTED. */
  async glance(): Promise<OutboxState> {
    const [isKeyRefused, { oldestWaitingAt, ...states }] = await Promise.all([
      this.health.isKeyRefused(),
      this.mails.glance(MAIL_STATES),
    ]);
    const { emailProvider: provider, emailFallbackProvider: fallback = null } = this.environment;
    return { provider, fallback, isKeyRefused, states, oldestWaitingAt };
  }

  /** Puts a dead letter back among the mails that wait. Throws NotFound, and NotDead for another mail. */
  retry(id: string, by: Actor): Promise<MailSummary> {
    return this.transactions.run(by, async (tx) => {
      const mail = await this.mails.retry(id, tx);
      await tx.record('mail.retried', { details: { retried: 1, mail_id: id } });
      return mail;
    });
  }

  /** Puts all dead letters back, and returns how many there were. Those of one statement have one event. */
  retryDead(by: Actor): Promise<number> {
    return inBatches((after) => this.retrySome(after, by));
  }

  private retrySome(after: string | null, by: Actor) {
    return this.transactions.run(by, async (tx) => {
      const some = await this.mails.retryDead(after, tx);
      if (some.count > 0) await tx.record('mail.retried', { details: { retried: some.count } });
      return some;
    });
  }
}
