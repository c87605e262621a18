import type { DataSource } from 'typeorm';
import { OutagesRepository } from './outages.repository.js';
import { BATCH, type QueueState } from './queue-ledger.repository.js';
import type { QueueNames } from './queue-names.js';

/**
 * After this a worker counts as dead. It is longer than the wait for an endpoint, so that a slow worker does not.
 */
const LEASE_SECONDS = 60;

/** A row that could have been tried for so long already gives way to requests no longer. */
const LATE_SECONDS = 60;

/** How long no other row is tried during a probe. It ends before the lease, so that after a lost probe another row is next. */
const PROBE_SECONDS = LEASE_SECONDS - 5;

/** How a row ended: sent, not meant to be sent, no longer worth sending, or given up (a dead letter). */
export type Outcome = Exclude<QueueState, 'waiting'>;

/** A row that is ours to work on until its lease ends. */
export interface Leased {
  id: string;
  /** How often it was tried, the present attempt included. */
  attempts: number;
  /** The endpoint it was claimed for. */
  endpoint: string;
  /** For the one row that shows if an outage is over: until when no worker tries another. Null for all other rows. */
  probeEndsAt: Date | null;
  /** Whether it has waited so long that it gives way to requests no longer. */
  isLate: boolean;
}

/**
 * Rows that wait to be sent. A row can be claimed once the transaction that wrote it is committed; a worker claims it,
 * tries it, and finishes it once.
 */
export class LeasedQueueRepository<Row extends Leased> {
  readonly outages: OutagesRepository;

  constructor(
    private readonly database: DataSource,
    private readonly names: QueueNames,
  ) {
    this.outages = new OutagesRepository(database, names.outages);
  }

  /**
   * Claims the rows that may be tried, oldest first. An endpoint that is down gets none during its pause. Then one replica
   * gets one row, the probe, and the pause goes on for all of them while it is tried.
   */
  claim(endpoint: string, limit: number): Promise<Row[]> {
    const { table, claimed, outages } = this.names;
    return this.database.query<Row[]>(
      `WITH outage AS (
         SELECT FROM ${outages.table} WHERE ${outages.endpoint} = $1
       ), pause_over AS (
         SELECT FROM ${outages.table} WHERE ${outages.endpoint} = $1 AND paused_until <= now() FOR UPDATE SKIP LOCKED
       ), due AS (
         SELECT id FROM ${table}
          WHERE ${this.waits} AND due_at <= now() AND (leased_until IS NULL OR leased_until <= now())
            AND (NOT EXISTS (SELECT FROM outage) OR EXISTS (SELECT FROM pause_over))
          ORDER BY id LIMIT least($2::int, CASE WHEN EXISTS (SELECT FROM outage) THEN 1 END)
            FOR UPDATE SKIP LOCKED
       ), probe AS (
         UPDATE ${outages.table} SET paused_until = now() + make_interval(secs => ${PROBE_SECONDS})
          WHERE ${outages.endpoint} = $1 AND EXISTS (SELECT FROM due)
         RETURNING paused_until
       ), claimed AS (
         UPDATE ${table} q
            SET attempts = attempts + 1, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
           FROM due WHERE q.id = due.id
         RETURNING q.*
       )
       SELECT id, attempts, $1::text AS endpoint, (SELECT paused_until FROM probe) AS "probeEndsAt",
              due_at < now() - interval '${LATE_SECONDS} seconds' AS "isLate", ${claimed}
         FROM claimed ORDER BY id`,
      [endpoint, limit],
    );
  }

  /**
   * Milliseconds until the next row may be tried; null when none waits. During a pause it is the rest of the pause, and
   * no row is read for it: each new row wakes all workers, and many rows may wait by then.
   */
  async untilDueMs(endpoint: string): Promise<number | null> {
    const { table, outages } = this.names;
    const [{ ms }] = await this.database.query<[{ ms: number | null }]>(
      `SELECT ceil(1000 * extract(epoch FROM coalesce(
                (SELECT paused_until FROM ${outages.table} WHERE ${outages.endpoint} = $1 AND paused_until > now()),
                (SELECT min(greatest(due_at, leased_until)) FROM ${table} WHERE ${this.waits})
              ) - now()))::int AS ms`,
      [endpoint],
    );
    return ms === null ? null : Math.max(0, ms);
  }

  /**
   * Ends a row, and drops its content unless it is a dead letter, which an operator may want to send again. A worker
   * that has sent it always ends it; for another outcome it must be the worker that claimed the row last.
   */
  async finish({ id, attempts }: Row, outcome: Outcome, error: string | null = null): Promise<void> {
    const { table, content } = this.names;
    const dropped = content === undefined ? '' : `, ${content} = CASE WHEN $2 = 'dead' THEN ${content} END`;
    await this.database.query(
      `UPDATE ${table}
          SET finished_at = now(), outcome = $2, last_error = $3, leased_until = NULL${dropped}
        WHERE id = $1 AND finished_at IS NULL AND ($2 = 'sent' OR attempts = $4)`,
      [id, outcome, error, attempts],
    );
  }

  /**
   * Puts a row off, unless another worker has claimed it meanwhile: twice as long each time up to half a minute, then
   * for a tenth of its age, and less by chance, so that not all come back at once. Where the endpoint was down, it
   * is five minutes at most: the row may be the only one that waits, and shows when the endpoint is repaired. It is
   * never nothing, or the oldest row would be every probe, and one that brings the endpoint down would hold up the rest.
   */
  async postpone({ id, attempts }: Row, error: string, isDown: boolean): Promise<void> {
    await this.database.query(
      `UPDATE ${this.names.table}
          SET last_error = $3, leased_until = NULL,
              due_at = now() + (0.5 + random() / 2) * least(
                make_interval(secs => 2 ^ least($2, 16)),
                greatest(
                  interval '30 seconds',
                  least((now() - created_at) / 10, CASE WHEN $4::boolean THEN interval '5 minutes' END)))
        WHERE id = $1 AND attempts = $2 AND finished_at IS NULL`,
      [id, attempts, error, isDown],
    );
  }

  /**
   * Makes all rows due that wait for an endpoint, as it takes them again; those under way stay as they are. It stops when
   * another outage begins.
   */
  async bringForward(endpoint: string): Promise<void> {
    let after: string | null = null;
    do after = await this.bringSomeForward(endpoint, after);
    while (after !== null);
  }

  /** Makes the next rows due, in the order of their ids. Returns the last id; null when there are no more. */
  private async bringSomeForward(endpoint: string, after: string | null): Promise<string | null> {
    const { table, outages } = this.names;
    const [last] = await this.database.query<{ id: string }[]>(
      `WITH batch AS (
         SELECT id FROM ${table}
          WHERE ${this.waits} AND due_at > now() AND ($2::uuid IS NULL OR id > $2)
            AND NOT EXISTS (SELECT FROM ${outages.table} WHERE ${outages.endpoint} = $1)
          ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
       ), moved AS (
         UPDATE ${table} q SET due_at = now() FROM batch WHERE q.id = batch.id
       )
       SELECT id FROM batch ORDER BY id OFFSET ${BATCH - 1}`,
      [endpoint, after],
    );
    return last?.id ?? null;
  }

  /** Which rows wait for the endpoint `$1`. */
  private get waits(): string {
    const { endpoint } = this.names;
    return endpoint === undefined ? 'finished_at IS NULL' : `${endpoint} = $1 AND finished_at IS NULL`;
  }
}
