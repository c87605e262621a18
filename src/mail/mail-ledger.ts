import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QueueLedgerRepository } from '../queues/queue-ledger.repository.js';
import { OUTBOX } from './outbox.repository.js';

export const MAIL_STATES = ['waiting', 'sent', 'expired', 'dead'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** What an operator may know of a mail. */
export interface MailSummary {
  id: string;
  kind: string;
  to: string;
  subject: string;
  state: MailState;
  attempts: number;
  lastError: string | null;
  createdAt: Date;
  dueAt: Date;
  expiresAt: Date | null;
  finishedAt: Date | null;
}

/** The outbox as an operator sees it: a list may be of one recipient. */
@Injectable()
export class MailLedger extends QueueLedgerRepository<MailSummary> {
  constructor(database: DataSource) {
    super(database, OUTBOX, {
      summary: `id, kind, recipient AS "to", subject, coalesce(outcome, 'waiting') AS state, attempts,
                last_error AS "lastError", created_at AS "createdAt", due_at AS "dueAt", expires_at AS "expiresAt",
                finished_at AS "finishedAt"`,
      filter: 'recipient',
    });
  }
}
