import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { countExpired, deleteExpired, type Expiring } from './expiring-rows.js';

/** Any number, the same on every replica. */
const PRUNE_LOCK = 5_234_002;

/** A run stops beginning batches after this long; the next run goes on. */
const BUDGET_MS = 20_000;

/** What a run of the prune did. */
export interface Pruned {
  /** Rows deleted, or in a dry run found, by table. */
  pruned: Record<string, number>;
  /** Whether another run was at it, so that this one did nothing. */
  skipped: boolean;
  /** Whether nothing was left over for the next run. */
  complete: boolean;
  durationMs: number;
}

/** Deletes what has expired: sessions after their retention, all else at once. */
@Injectable()
export class PruneService {
  constructor(
    private readonly environment: Environment,
    private readonly database: DataSource,
  ) {}

  /** Prunes every table, one replica at a time. */
  async prune({ isDryRun = false, report = (_: string) => {} } = {}): Promise<Pruned> {
    const startedAt = performance.now();
    const deadline = startedAt + BUDGET_MS;
    const result: Pruned = { pruned: {}, skipped: false, complete: true, durationMs: 0 };

    // The lock belongs to an open transaction, not to the connection, so that it also holds behind PgBouncer.
    await this.database.transaction(async (holder) => {
      const [lock] = await holder.query('SELECT pg_try_advisory_xact_lock($1) AS held', [PRUNE_LOCK]);
      result.skipped = !lock.held;
      if (result.skipped) return;

      for (const rows of this.expiring()) {
        const count = isDryRun
          ? await countExpired(this.database, rows)
          : await deleteExpired(this.database, rows, deadline, (soFar) => report(`${rows.table}: ${soFar}`));
        result.pruned[rows.table] = count.rows;
        result.complete &&= count.isComplete;
      }
    });

    return { ...result, durationMs: Math.round(performance.now() - startedAt) };
  }

  private expiring(): Expiring[] {
    return [
      { table: 'sessions', keptDays: this.environment.cronSessionRetentionDays },
      { table: 'one_time_tokens', keptDays: 0 },
      { table: 'used_states', keptDays: 0 },
      { table: 'invitation_mails', keptDays: 0 },
      { table: 'stripe_events', keptDays: 0 },
      { table: 'stripe_attempts', keptDays: 0 },
    ];
  }
}
