import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';

/** Events deleted in one transaction. */
const BATCH = 2_000;

/** How many events are past their time, and whether that is all of them. */
export interface PastEvents {
  rows: number;
  isComplete: boolean;
}

/** Forgets the oldest audit events, so that what is left of each chain can still be followed. */
@Injectable()
export class AuditRetention {
  private readonly keptDays: number;

  constructor(
    { cronAuditRetentionDays }: Environment,
    private readonly database: DataSource,
  ) {
    this.keptDays = cronAuditRetentionDays;
  }

  /** How many events are past their time. */
  async count(): Promise<PastEvents> {
    const [found] = await this.database.query(
      `SELECT count(*)::int AS rows FROM audit_events
        WHERE chain_position IS NOT NULL AND created_at < now() - make_interval(days => $1)`,
      [this.keptDays],
    );
    return { rows: found.rows, isComplete: true };
  }

  /** Deletes the beginning of each chain that is past its time, until a deadline by `performance.now()`. */
  async prune(deadline: number, report: (rows: number) => void): Promise<PastEvents> {
    const chains: { id: string }[] = await this.database.query('SELECT id FROM audit_chains ORDER BY id');
    let rows = 0;
    for (const { id } of chains) {
      for (let batch = BATCH; batch === BATCH; rows += batch) {
        if (performance.now() >= deadline) return { rows, isComplete: false };
        batch = await this.pruneOldest(id);
        if (batch === BATCH) report(rows + batch);
      }
    }
    return { rows, isComplete: true };
  }

  /**
   * Deletes a batch from the beginning of a chain, moves the beginning behind it, and returns how many there were.
   * Stops at a missing event: were it stepped over, its loss would never be found.
   */
  private async pruneOldest(chainId: string): Promise<number> {
    const [pruned] = await this.database.query(
      `WITH oldest AS (
         SELECT e.id, e.chain_position, e.chain_hash,
                e.created_at < now() - make_interval(days => $2) AS is_past,
                e.chain_position = c.pruned_position + row_number() OVER (ORDER BY e.chain_position) AS is_next
           FROM audit_chains c JOIN LATERAL (
             SELECT * FROM audit_events
              WHERE chain_id = c.id AND chain_position > c.pruned_position ORDER BY chain_position LIMIT $3
           ) e ON true
          WHERE c.id = $1
       ), beginning AS (
         SELECT id, chain_position, chain_hash FROM (
           SELECT *, bool_and(is_past AND is_next) OVER (ORDER BY chain_position) AS is_over FROM oldest
         ) judged WHERE is_over
       ), gone AS (
         DELETE FROM audit_events e USING beginning b WHERE e.id = b.id
       ), moved AS (
         UPDATE audit_chains c SET pruned_position = last.chain_position, pruned_hash = last.chain_hash
           FROM (SELECT * FROM beginning ORDER BY chain_position DESC LIMIT 1) last WHERE c.id = $1
       )
       SELECT count(*)::int AS rows FROM beginning`,
      [chainId, this.keptDays, BATCH],
    );
    return pruned.rows;
  }
}
