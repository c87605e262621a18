import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { hasByIndexSql, hasSql, idsLike, needleOf, searchedSql } from '../database/search.js';
import { IN_STATE, QueueLedgerRepository } from '../queues/queue-ledger.repository.js';
import { OUTBOX } from './outbox.repository.js';

export const MAIL_STATES = ['waiting', 'sent', 'expired', 'dead'] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** What an operator may know of a mail. */
export interface MailSummary {
  id: string;
  kind: string;
  to: string;
  subject: string;
  /** The tag of the language that it is written in. */
  language: string;
  state: MailState;
  attempts: number;
  lastError: string | null;
  createdAt: Date;
  dueAt: Date;
  expiresAt: Date | null;
  finishedAt: Date | null;
}

const SUMMARY = `id, kind, recipient AS "to", subject, language, coalesce(outcome, 'waiting') AS state, attempts,
  last_error AS "lastError", created_at AS "createdAt", due_at AS "dueAt", expires_at AS "expiresAt",
  finished_at AS "finishedAt"`;

/** How many mails a search looks at, newest first, before it asks the index for all that match. */
const LOOKED_AT = 5_000;

const SEARCHED = searchedSql('recipient');

/** The outbox as an operator sees it: a list may be of one recipient. */
@Injectable()
export class MailLedgerRepository extends QueueLedgerRepository<MailSummary> {
  constructor(database: DataSource) {
    super(database, OUTBOX, { summary: SUMMARY, filter: 'recipient' });
  }

  /**
   * A page as `find` gives it, of the mails whose recipient has a text in it, or whose id begins with it. A text that many
   * have is found among the newest; the index finds what few have.
   */
  async search(
    search: string,
    { state, to }: { state?: MailState | undefined; to?: string | undefined },
    before: string | null,
    limit: number,
  ): Promise<MailSummary[]> {
    const where = `${state === undefined ? 'true' : IN_STATE[state]} AND ($1::uuid IS NULL OR id < $1)
      AND ($6::text IS NULL OR recipient = $6)`;
    const matches = (has: typeof hasSql) => `(${has(SEARCHED, '$3')} OR id BETWEEN $4::uuid AND $5::uuid)`;
    const values = [before, limit, needleOf(search), ...(idsLike(search) ?? [null, null]), to];
    const near = await this.database.query<MailSummary[]>(
      `SELECT ${SUMMARY} FROM (
         SELECT * FROM outbox_mails WHERE ${where} ORDER BY id DESC LIMIT ${LOOKED_AT}) newest
        WHERE ${matches(hasSql)} ORDER BY id DESC LIMIT $2`,
      values,
    );
    if (near.length === limit) return near;
    return this.database.query(
      `SELECT ${SUMMARY} FROM (
         WITH found AS MATERIALIZED (SELECT * FROM outbox_mails WHERE ${where} AND ${matches(hasByIndexSql)})
         SELECT * FROM found) found
        ORDER BY id DESC LIMIT $2`,
      values,
    );
  }
}
