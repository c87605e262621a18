import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Actor, Audit, NOBODY } from '../audit/audit.js';
import { AuditRetention } from '../audit/audit-retention.js';
import { Environment } from '../config/environment.js';
import { DEVICE_MEMORY_DAYS } from '../devices/known-device.entity.js';
import { CronMetrics } from './cron-metrics.js';
import { type Count, countExpired, deleteExpired, type Expiring } from './expiring-rows.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

/** Any number, the same on every replica. */
const PRUNE_LOCK = 5_234_002;

/** A run stops beginning batches after this long; the next run goes on. */
const BUDGET_MS = 20_000;

/** What a run of the prune did. */
export interface Pruned {
  /** Rows deleted, or in a dry run found, by table. */
  pruned: Record<string, number>;
  /** Whether another run was under way, so that this one did nothing. */
  skipped: boolean;
  /** Whether nothing was left over for the next run. */
  complete: boolean;
  durationMs: number;
}

/** How to prune. */
interface PruneOptions {
  /** Only counts. */
  isDryRun?: boolean;
  /** Who set it off. */
  by?: Actor;
  /** Is told how far it has come. */
  report?: (line: string) => void;
}

/**
 * Deletes what has expired: sessions, mails and audit events after their retention, devices once they are forgotten,
 * everything else at once.
 */
@Injectable()
export class PruneService {
  constructor(
    private readonly environment: Environment,
    private readonly database: DataSource,
    private readonly jobs: ScheduledJobsRepository,
    private readonly metrics: CronMetrics,
    private readonly audit: Audit,
    private readonly auditRetention: AuditRetention,
  ) {}

  /** Prunes every table, one replica at a time. */
  async prune({
    isDryRun = false,
    by = NOBODY,
    report = (_: string) => {},
  }: PruneOptions = {}): Promise<Pruned> {
    const startedAt = performance.now();
    const deadline = startedAt + BUDGET_MS;
    const result: Pruned = { pruned: {}, skipped: false, complete: true, durationMs: 0 };

    // The lock belongs to an open transaction, not to the connection, so that it also holds behind PgBouncer.
    await this.database.transaction(async (holder) => {
      const [lock] = await holder.query('SELECT pg_try_advisory_xact_lock($1) AS held', [PRUNE_LOCK]);
      result.skipped = !lock.held;
      if (result.skipped) return;

      const add = (table: string, { rows, isComplete }: Count) => {
        result.pruned[table] = rows;
        result.complete &&= isComplete;
        if (!isDryRun) this.metrics.pruned.inc({ table }, rows);
      };
      const tell = (table: string) => (soFar: number) => report(`${table}: ${soFar}`);

      for (const expiring of this.expiring()) {
        const { table } = expiring;
        const deleteRows = () => deleteExpired(this.database, expiring, deadline, tell(table));
        add(table, await (isDryRun ? countExpired(this.database, expiring) : deleteRows()));
      }
      const pruneAudit = () => this.auditRetention.prune(deadline, tell('audit_events'));
      add('audit_events', await (isDryRun ? this.auditRetention.count() : pruneAudit()));
      if (isDryRun) return;
      await this.jobs.noteSuccess('prune', holder);
      await this.audit.record({ type: 'cron.ran', by, details: result.pruned }, holder);
    });

    return { ...result, durationMs: Math.round(performance.now() - startedAt) };
  }

  private expiring(): Expiring[] {
    return [
      { table: 'sessions', keptDays: this.environment.cronSessionRetentionDays },
      { table: 'one_time_tokens', keptDays: 0 },
      { table: 'email_changes', keptDays: 0 },
      { table: 'used_states', keptDays: 0 },
      { table: 'invitation_mails', keptDays: 0 },
      { table: 'outbox_mails', overAt: 'finished_at', keptDays: this.environment.cronMailRetentionDays },
      { table: 'rate_limits', keptDays: 0 },
      { table: 'known_devices', overAt: 'last_seen_at', keptDays: DEVICE_MEMORY_DAYS },
      { table: 'stripe_events', keptDays: 0 },
      { table: 'stripe_attempts', keptDays: 0 },
    ];
  }
}
