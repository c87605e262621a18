import type { DataSource } from 'typeorm';

/** Rows deleted in one transaction: few enough that nobody waits for their locks. */
const BATCH = 1_000;

/** A table whose rows are over at an indexed instant, and how long they are kept after it. */
export interface Expiring {
  table:
    | 'sessions'
    | 'one_time_tokens'
    | 'email_changes'
    | 'used_states'
    | 'invitation_mails'
    | 'outbox_mails'
    | 'known_devices'
    | 'rate_limits'
    | 'stripe_events'
    | 'stripe_attempts';
  overAt?: 'expires_at' | 'finished_at' | 'last_seen_at';
  keptDays: number;
}

export interface Count {
  rows: number;
  /** Whether there were no more. */
  isComplete: boolean;
}

/** How many rows are past their time. */
export async function countExpired(
  database: DataSource,
  { table, overAt = 'expires_at', keptDays }: Expiring,
): Promise<Count> {
  const [found] = await database.query(
    `SELECT count(*)::int AS rows FROM ${table} WHERE ${overAt} < now() - make_interval(days => $1)`,
    [keptDays],
  );
  return { rows: found.rows, isComplete: true };
}

/**
 * Deletes rows past their time, in batches, until there are no more, or a deadline by `performance.now()`.
 *
 * Each batch goes on where the last one ended: were it to begin at the oldest row again, it would first walk over all
 * those just deleted. Only the search for the oldest walks over what the last run deleted, and it locks nothing. A
 * row somebody holds is left for the next run.
 */
export async function deleteExpired(
  database: DataSource,
  { table, overAt = 'expires_at', keptDays }: Expiring,
  deadline: number,
  report: (rows: number) => void,
): Promise<Count> {
  const [{ oldest, cutoff }] = await database.query(
    `SELECT min(${overAt}) AS oldest, now() - make_interval(days => $1) AS cutoff FROM ${table}`,
    [keptDays],
  );
  let from: Date | null = oldest;
  let rows = 0;

  while (performance.now() < deadline) {
    const [batch]: { rows: number; last: Date }[] = await database.query(
      `WITH batch AS (
         SELECT ctid, ${overAt} AS over_at FROM ${table}
          WHERE ${overAt} >= $1 AND ${overAt} < $2
          ORDER BY ${overAt} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
       ), gone AS (
         DELETE FROM ${table} t USING batch WHERE t.ctid = batch.ctid RETURNING batch.over_at
       )
       SELECT count(*)::int AS rows, max(over_at) AS last FROM gone`,
      [from, cutoff],
    );
    rows += batch?.rows ?? 0;
    if (!batch || batch.rows < BATCH) return { rows, isComplete: true };
    from = batch.last;
    report(rows);
  }
  return { rows, isComplete: false };
}
