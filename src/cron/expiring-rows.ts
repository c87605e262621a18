import type { DataSource } from 'typeorm';

/** Rows deleted in one transaction: few enough that nobody waits for their locks. */
const BATCH = 2_000;

/** A table whose rows have an indexed `expires_at`, and how long they are kept after it. */
export interface Expiring {
  table:
    | 'sessions'
    | 'one_time_tokens'
    | 'used_states'
    | 'invitation_mails'
    | 'stripe_events'
    | 'stripe_attempts';
  keptDays: number;
}

export interface Count {
  rows: number;
  /** Whether there were no more. */
  isComplete: boolean;
}

/** How many rows are past their time. */
export async function countExpired(database: DataSource, { table, keptDays }: Expiring): Promise<Count> {
  const [found] = await database.query(
    `SELECT count(*)::int AS rows FROM ${table} WHERE expires_at < now() - make_interval(days => $1)`,
    [keptDays],
  );
  return { rows: found.rows, isComplete: true };
}

/**
 * Deletes rows past their time, in batches, until there are no more or the deadline (of `performance.now()`) is over.
 *
 * Each batch goes on where the last one ended: were it to begin at the oldest row again, it would first walk over
 * all those just deleted. A row somebody holds is left for the next run.
 */
export async function deleteExpired(
  database: DataSource,
  { table, keptDays }: Expiring,
  deadline: number,
  report: (rows: number) => void,
): Promise<Count> {
  const [{ cutoff }] = await database.query(`SELECT now() - make_interval(days => $1) AS cutoff`, [keptDays]);
  let from: Date | string = '-infinity';
  let rows = 0;

  while (performance.now() < deadline) {
    const [batch]: { rows: number; last: Date }[] = await database.query(
      `WITH batch AS (
         SELECT ctid, expires_at FROM ${table}
          WHERE expires_at >= $1 AND expires_at < $2
          ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
       ), gone AS (
         DELETE FROM ${table} t USING batch WHERE t.ctid = batch.ctid RETURNING batch.expires_at
       )
       SELECT count(*)::int AS rows, max(expires_at) AS last FROM gone`,
      [from, cutoff],
    );
    rows += batch?.rows ?? 0;
    if (!batch || batch.rows < BATCH) return { rows, isComplete: true };
    from = batch.last;
    report(rows);
  }
  return { rows, isComplete: false };
}
