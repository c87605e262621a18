import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';

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

export interface StateCount {
  state: MailState;
  count: number;
  /** When the oldest was posted, and how many seconds ago. */
  oldestAt: Date;
  oldestSeconds: number;
}

/** Which mails a list is about. */
export interface MailFilter {
  state?: MailState | undefined;
  /** An address, as it is stored. */
  to?: string | undefined;
}

/** Each as an index has it. */
const IN_STATE: Record<MailState, string> = {
  waiting: 'finished_at IS NULL',
  sent: `outcome = 'sent'`,
  expired: `outcome = 'expired'`,
  dead: `outcome = 'dead'`,
};

const SUMMARY = `
  SELECT id, kind, recipient AS "to", subject, coalesce(outcome, 'waiting') AS state, attempts,
         last_error AS "lastError", created_at AS "createdAt", due_at AS "dueAt", expires_at AS "expiresAt",
         finished_at AS "finishedAt"
    FROM outbox_mails`;

/** The outbox as an operator sees it. */
@Injectable()
export class MailAdminRepository {
  constructor(private readonly database: DataSource) {}

  /** A page of the mails in a state and to an address, where one is given, newest first, from below an id. */
  find({ state, to }: MailFilter, before: string | null, limit: number): Promise<MailSummary[]> {
    const inState = state === undefined ? 'true' : IN_STATE[state];
    return this.database.query(
      `${SUMMARY}
        WHERE ${inState} AND ($1::text IS NULL OR recipient = $1) AND ($2::uuid IS NULL OR id < $2)
        ORDER BY id DESC LIMIT $3`,
      [to, before, limit],
    );
  }

  async get(id: string, tx: Transaction | DataSource = this.database): Promise<MailSummary | null> {
    const [mail] = await tx.query<MailSummary[]>(`${SUMMARY} WHERE id = $1`, [id]);
    return mail ?? null;
  }

  /** How many mails there are in each state, and how old the oldest is. */
  countByState(): Promise<StateCount[]> {
    return this.database.query(
      `SELECT coalesce(outcome, 'waiting') AS state, count(*)::int AS count, min(created_at) AS "oldestAt",
              extract(epoch FROM now() - min(created_at))::float AS "oldestSeconds"
         FROM outbox_mails GROUP BY 1 ORDER BY 1`,
    );
  }

  /** Puts a dead letter, or all of them, back among the mails that wait, and returns how many those were. */
  async retry(id: string | null, tx: Transaction): Promise<number> {
    const [retried] = await tx.query<[{ count: number }]>(
      `WITH retried AS (
         UPDATE outbox_mails
            SET finished_at = NULL, outcome = NULL, attempts = 0, due_at = now()
          WHERE outcome = 'dead' AND ($1::uuid IS NULL OR id = $1)
         RETURNING pg_notify('outbox', '')
       )
       SELECT count(*)::int AS count FROM retried`,
      [id],
    );
    return retried.count;
  }
}
