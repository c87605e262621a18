import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AuditRetention } from '../audit/audit-retention.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { assertStillHeld, tryLock } from '../database/advisory-lock.js';
import { type Batches, ExpiredRowsRepository } from '../database/expired-rows.repository.js';
import { THE_SERVICE } from '../http/caller.js';
import { CronMetrics } from './cron-metrics.js';
import { CronTasks, type Reconciled } from './cron-tasks.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

/** A run stops beginning batches after this long; the next run goes on. */
const BUDGET_MS = 20_000;

/** Gets a line about the progress of a run. */
type Report = (line: string) => void;

/** What a run did. */
export interface CronRun {
  /** Rows deleted, or in a dry run found, by table. */
  pruned: Record<string, number>;
  /** Null where billing is off, and where another run was under way. */
  reconciled: Reconciled | null;
  /** Whether another run was under way, so that this one did nothing. */
  skipped: boolean;
  /** Whether nothing failed, and nothing was left over for the next run. */
  complete: boolean;
  durationMs: number;
}

/** Does the hourly work: first the prune, which needs nothing but the database, then the reconciliation with Stripe, and the figures. */
@Injectable()
export class CronService {
  private readonly logger = new Logger(CronService.name);

  constructor(
    private readonly tasks: CronTasks,
    private readonly rows: ExpiredRowsRepository,
    private readonly auditRetention: AuditRetention,
    private readonly jobs: ScheduledJobsRepository,
    private readonly metrics: CronMetrics,
    private readonly transactions: Transactions,
  ) {}

  async run({ isDryRun = false, by = THE_SERVICE } = {}): Promise<CronRun> {
    const startedAt = performance.now();
    const run = await this.prune({ isDryRun, by });
    const reconciled = run.skipped ? null : await this.tasks.reconcile({ isDryRun });
    const isRestDone = run.skipped || isDryRun || (await this.doOthers());
    return {
      ...run,
      reconciled,
      complete: run.complete && reconciled?.isComplete !== false && isRestDone,
      durationMs: Math.round(performance.now() - startedAt),
    };
  }

  /**
   * Deletes what has expired, one replica at a time: sessions, mails and audit events after their retention, devices once
   * they are forgotten, everything else at once. A dry run only counts. `report` gets a line after each batch.
   */
  async prune({
    isDryRun = false,
    by = THE_SERVICE,
    report = ((_line) => {}) as Report,
  } = {}): Promise<CronRun> {
    const startedAt = performance.now();
    const run = await this.transactions.run(by, async (tx) => {
      if (!(await tryLock('prune', tx))) return { pruned: {}, complete: true, skipped: true };
      if (isDryRun) return { pruned: await this.count(), complete: true, skipped: false };

      const { hasFailed, ...done } = await this.delete(startedAt + BUDGET_MS, report, tx);
      if (!hasFailed) await this.jobs.noteSuccess('prune', tx);
      await tx.record('cron.ran', { details: done.pruned });
      return { ...done, skipped: false };
    });
    return { ...run, reconciled: null, durationMs: Math.round(performance.now() - startedAt) };
  }

  /** Returns whether all of it succeeded. */
  private async doOthers(): Promise<boolean> {
    let isDone = true;
    for (const [task, work] of this.tasks.others) {
      try {
        await work();
      } catch (error) {
        this.logger.error(
          { event: 'cron.task_failed', task, err: error },
          'A task failed; the next run tries again.',
        );
        isDone = false;
      }
    }
    return isDone;
  }

  private async count(): Promise<CronRun['pruned']> {
    const counts: CronRun['pruned'] = {};
    for (const expiring of this.tasks.expiring) counts[expiring.table] = await this.rows.count(expiring);
    return { ...counts, audit_events: await this.auditRetention.count() };
  }

  /** A table that fails holds no other table up. Throws when the database does not answer at all. */
  private async delete(deadline: number, report: Report, tx: Transaction) {
    const done = { pruned: {} as CronRun['pruned'], complete: true, hasFailed: false };
    for (const [table, batches] of this.deletions()) {
      try {
        const { rows, isComplete } = await this.deleteFrom(table, batches, deadline, report);
        done.pruned[table] = rows;
        done.complete &&= isComplete;
        this.metrics.pruned.inc({ table }, rows);
      } catch (error) {
        await assertStillHeld(tx);
        const fields = { event: 'prune.failed', table, err: error };
        this.logger.error(fields, 'A table could not be pruned; the next run tries again.');
        done.complete = false;
        done.hasFailed = true;
      }
    }
    return done;
  }

  private deletions(): [table: string, Batches][] {
    const ofTables = this.tasks.expiring.map((each): [string, Batches] => [
      each.table,
      this.rows.delete(each),
    ]);
    return [...ofTables, ['audit_events', this.auditRetention.delete()]];
  }

  private async deleteFrom(table: string, batches: Batches, deadline: number, report: Report) {
    let rows = 0;
    for (let restMs = 0; performance.now() + restMs < deadline; ) {
      if (restMs > 0) await sleep(restMs);
      const begunAt = performance.now();
      const { value, done } = await batches.next();
      if (done) return { ...value, rows: rows + value.rows };

      rows += value;
      if (value > 0) report(`${table}: ${rows}`);
      // The prune rests for as long as the batch took: requests have the database to themselves meanwhile.
      restMs = value > 0 ? performance.now() - begunAt : 0;
    }
    return { rows, isComplete: false };
  }
}
