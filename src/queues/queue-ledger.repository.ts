import type { DataSource, EntityManager } from 'typeorm';
import { NotDead, NotFound } from '../http/errors.js';
import type { QueueNames } from './queue-names.js';

/** Rows of one statement: PostgreSQL cuts off one that takes longer than those of the service may. */
export const BATCH = 1_000;

export const QUEUE_STATES = ['waiting', 'sent', 'skipped', 'expired', 'dead'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

/** Each as an index has it. */
export const IN_STATE: Record<QueueState, string> = {
  waiting: 'finished_at IS NULL',
  sent: `outcome = 'sent'`,
  skipped: `outcome = 'skipped'`,
  expired: `outcome = 'expired'`,
  dead: `outcome = 'dead'`,
};

/**
 * Where a count for people stops. A queue may hold millions of rows, and of so many a person needs no exact number;
 * `/metrics` has it.
 */
export const MOST_COUNTED = 10_000;

/**
 * The sent rows have no index of their own. Along the index of `finished_at`, newest first, a count passes over few rows
 * of other outcomes.
 */
const COUNTED: Record<QueueState, string> = {
  ...IN_STATE,
  sent: `${IN_STATE.sent} AND finished_at IS NOT NULL ORDER BY finished_at DESC`,
};

export interface StateCount {
  /** The endpoint; null where all rows are for one. */
  endpoint: string | null;
  state: QueueState;
  count: number;
  /** When the oldest was written, and how many seconds ago. */
  oldestAt: Date;
  oldestSeconds: number;
}

/** How many dead letters were put back, and the last id; null when there are no more. */
interface Retried {
  count: number;
  last: string | null;
}

/** Puts back one batch after another, each from above the last id of the one before, and returns how many rows there were. */
export async function inBatches(putBack: (after: string | null) => Promise<Retried>): Promise<number> {
  let total = 0;
  let after: string | null = null;
  do {
    const { count, last }: Retried = await putBack(after);
    total += count;
    after = last;
  } while (after !== null);
  return total;
}

/** What an operator may see of a row, and pick rows by. Constants of the code, as QueueNames are. */
export interface LedgerNames {
  /** The columns of a SELECT. */
  summary: string;
  /** The column of a list's filter. */
  filter: string;
}

/** A queue as an operator sees it. */
export class QueueLedgerRepository<Summary> {
  constructor(
    protected readonly database: DataSource,
    private readonly names: QueueNames,
    private readonly ledger: LedgerNames,
  ) {}

  /** A page of the rows in a state and with the value of the filter, where one is given, newest first, from below an id. */
  find(
    state: QueueState | undefined,
    value: string | undefined,
    before: string | null,
    limit: number,
  ): Promise<Summary[]> {
    const inState = state === undefined ? 'true' : IN_STATE[state];
    return this.database.query(
      `SELECT ${this.ledger.summary} FROM ${this.names.table}
        WHERE ${inState} AND ($1::text IS NULL OR ${this.ledger.filter} = $1) AND ($2::uuid IS NULL OR id < $2)
        ORDER BY id DESC LIMIT $3`,
      [value, before, limit],
    );
  }

  /** Throws NotFound. */
  async get(id: string, tx: Pick<EntityManager, 'query'> = this.database): Promise<Summary> {
    const [row] = await tx.query<Summary[]>(
      `SELECT ${this.ledger.summary} FROM ${this.names.table} WHERE id = $1`,
      [id],
    );
    if (!row) throw new NotFound();
    return row;
  }

  /** How many rows there are in each state for each endpoint, and how old the oldest is. */
  countByState(): Promise<StateCount[]> {
    return this.database.query(
      `SELECT ${this.names.endpoint ?? 'NULL::text'} AS endpoint, coalesce(outcome, 'waiting') AS state, count(*)::int AS count,
              min(created_at) AS "oldestAt", extract(epoch FROM now() - min(created_at))::float AS "oldestSeconds"
         FROM ${this.names.table} GROUP BY 1, 2 ORDER BY 1, 2`,
    );
  }

  /** How many rows there are in each of some states, up to MOST_COUNTED, and when the oldest that waits was written. */
  async glance<State extends QueueState>(
    states: readonly State[],
  ): Promise<Record<State, number> & { oldestWaitingAt: Date | null }> {
    const { table } = this.names;
    const counts = states.map(
      (state) =>
        `(SELECT count(*)::int FROM (SELECT FROM ${table} WHERE ${COUNTED[state]} LIMIT ${MOST_COUNTED}) r) AS ${state}`,
    );
    const [glance] = await this.database.query(
      `SELECT ${counts.join(', ')},
              (SELECT created_at FROM ${table} WHERE ${IN_STATE.waiting} ORDER BY id LIMIT 1) AS "oldestWaitingAt"`,
    );
    return glance;
  }

  /** Puts a dead letter back among the rows that wait. Throws NotFound, and NotDead for another row. */
  async retry(id: string, tx: Pick<EntityManager, 'query'>): Promise<Summary> {
    const retried = await this.putBack([id], tx);
    const row = await this.get(id, tx);
    if (retried === 0) throw new NotDead();
    return row;
  }

  /** Puts dead letters back, in the order of their ids from above one: as many as one statement may. */
  async retryDead(after: string | null, tx: Pick<EntityManager, 'query'>): Promise<Retried> {
    const dead = await tx.query<{ id: string }[]>(
      `SELECT id FROM ${this.names.table} WHERE ${IN_STATE.dead} AND ($1::uuid IS NULL OR id > $1)
        ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
      [after],
    );
    const ids = dead.map(({ id }) => id);
    return { count: await this.putBack(ids, tx), last: ids[BATCH - 1] ?? null };
  }

  private async putBack(ids: string[], tx: Pick<EntityManager, 'query'>): Promise<number> {
    const { table, channel, restarts } = this.names;
    const anew = restarts === undefined ? '' : `, ${restarts} = now()`;
    const [retried] = await tx.query<[{ count: number }]>(
      `WITH retried AS (
         UPDATE ${table} SET finished_at = NULL, outcome = NULL, attempts = 0, due_at = now()${anew}
          WHERE ${IN_STATE.dead} AND id = ANY($1)
         RETURNING pg_notify('${channel}', '')
       )
       SELECT count(*)::int AS count FROM retried`,
      [ids],
    );
    return retried.count;
  }
}
