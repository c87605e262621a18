import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Rows deleted in one transaction: few enough that no request waits long for their locks. */
const BATCH = 1_000;

/** A table whose rows are over at an indexed instant, and how long they are kept after it. */
export interface Expiring {
  table: string;
  overAt?: 'expires_at' | 'finished_at' | 'last_seen_at' | 'ended_at';
  keptDays: number;
}

/**
 * Deletes a batch each time that the next one is asked for. Yields how many rows it had, and returns how many the last
 * one had, and whether no row is left that is past its time.
 */
export type Batches = AsyncGenerator<number, { rows: number; isComplete: boolean }>;

/** The rows of any table that are past their time. */
@Injectable()
export class ExpiredRowsRepository {
  constructor(private readonly database: DataSource) {}

  async count({ table, overAt = 'expires_at', keptDays }: Expiring): Promise<number> {
    const [found] = await this.database.query(
      `SELECT count(*)::int AS rows FROM ${table} WHERE ${overAt} < now() - make_interval(days => $1)`,
      [keptDays],
    );
    return found.rows;
  }

  /**
   * Each batch continues where the last one ended: if it began at the oldest row again, it would first walk over all
   * those just deleted. Only the first and the last look walk over deleted rows, and they lock nothing. The next run
   * deletes a row that another transaction has locked.
   */
  async *delete({ table, overAt = 'expires_at', keptDays }: Expiring): Batches {
    const [{ oldest, cutoff }] = await this.database.query(
      `SELECT min(${overAt}) AS oldest, now() - make_interval(days => $1) AS cutoff FROM ${table}`,
      [keptDays],
    );
    let from: Date | null = oldest;

    for (;;) {
      const [batch]: [{ rows: number; last: Date }] = await this.database.query(
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
      const { rows, last } = batch;
      if (rows < BATCH) return { rows, isComplete: await this.isEmptyBefore(cutoff, table, overAt) };
      yield rows;
      from = last;
    }
  }

  private async isEmptyBefore(cutoff: Date, table: string, overAt: string): Promise<boolean> {
    const left = await this.database.query(`SELECT 1 FROM ${table} WHERE ${overAt} < $1 LIMIT 1`, [cutoff]);
    return left.length === 0;
  }
}
