import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AuditRetention } from '../audit/audit-retention.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { tryLock } from '../database/advisory-lock.js';
import { type Deletion, ExpiredRowsRepository, type OnBatch } from '../database/expired-rows.repository.js';
import { type Actor, THE_SERVICE } from '../http/caller.js';
import { CronMetrics } from './cron-metrics.js';
import { CronTasks } from './cron-tasks.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

/** A run stops beginning batches after this long; the next run goes on. */
const BUDGET_MS = 20_000;

/** Rows deleted, or in a dry run found, by table. */
interface Result {
  pruned: Record<string, number>;
  /** Whether every table was pruned and nothing was left over for the next run. */
  complete: boolean;
}

/** What a run of the prune did. */
export interface Pruned extends Result {
  /** Whether another run was under way, so that this one did nothing. */
  skipped: boolean;
  durationMs: number;
}

/** Gets a line about the progress of a run. */
type Report = (line: string) => void;

/** How to prune. */
interface PruneOptions {
  /** Only counts. */
  isDryRun?: boolean;
  /** The caller that started it. */
  by?: Actor;
  report?: Report;
}

/**
 * Deletes what has expired: sessions, mails and audit events after their retention, devices once they are forgotten,
 * everything else at once.
 */
@Injectable()
export class PruneService {
  private readonly logger = new Logger(PruneService.name);

  constructor(
    private readonly tasks: CronTasks,
    private readonly rows: ExpiredRowsRepository,
    private readonly jobs: ScheduledJobsRepository,
    private readonly metrics: CronMetrics,
    private readonly transactions: Transactions,
    private readonly auditRetention: AuditRetention,
  ) {}

  /** Prunes every table, one replica at a time. */
  async prune({ isDryRun = false, by = THE_SERVICE, report = () => {} }: PruneOptions = {}): Promise<Pruned> {
    const startedAt = performance.now();
    const run = await this.transactions.run(by, async (tx) => {
      if (!(await tryLock('prune', tx))) return { pruned: {}, complete: true, skipped: true };
      if (isDryRun) return { pruned: await this.count(), complete: true, skipped: false };

      const { hasFailed, ...result } = await this.delete(startedAt + BUDGET_MS, report, tx);
      if (!hasFailed) await this.jobs.noteSuccess('prune', tx);
      await tx.record('cron.ran', { details: result.pruned });
      return { ...result, skipped: false };
    });
    return { ...run, durationMs: Math.round(performance.now() - startedAt) };
  }

  private async count(): Promise<Result['pruned']> {
    const counts: Result['pruned'] = {};
    for (const expiring of this.tasks.expiring) counts[expiring.table] = await this.rows.count(expiring);
    return { ...counts, audit_events: await this.auditRetention.count() };
  }

  /** A table that fails holds no other table up. Throws when the database does not answer at all. */
  private async delete(
    deadline: number,
    report: Report,
    tx: Transaction,
  ): Promise<Result & { hasFailed: boolean }> {
    const result = { pruned: {} as Result['pruned'], complete: true, hasFailed: false };
    const prune = async (table: string, work: (onBatch: OnBatch) => Promise<Deletion>) => {
      let begunAt = performance.now();
      try {
        const { rows, isComplete } = await work(async (deleted) => {
          report(`${table}: ${deleted}`);
          // The prune rests for as long as the batch took: requests have the database to themselves meanwhile.
          await sleep(performance.now() - begunAt);
          begunAt = performance.now();
        });
        result.pruned[table] = rows;
        result.complete &&= isComplete;
        this.metrics.pruned.inc({ table }, rows);
      } catch (error) {
        await tx.query('SELECT 1');
        const fields = { event: 'prune.failed', table, err: error };
        this.logger.error(fields, 'A table could not be pruned; the next run tries again.');
        result.complete = false;
        result.hasFailed = true;
      }
    };

    for (const expiring of this.tasks.expiring)
      await prune(expiring.table, (onBatch) => this.rows.delete(expiring, deadline, onBatch));
    await prune('audit_events', (onBatch) => this.auditRetention.prune(deadline, onBatch));
    return result;
  }
}
