import { Injectable } from '@nestjs/common';
import { THE_SERVICE } from '../http/caller.js';
import { CronTasks, type Reconciled } from './cron-tasks.js';
import { type Pruned, PruneService } from './prune.service.js';

/** What a run did; it reconciles nothing where billing is off, or another run is under way. */
export type CronRun = Pruned & { reconciled: Reconciled | null };

/** Does the hourly work: first the prune, which needs nothing but the database, then the reconciliation with Stripe. */
@Injectable()
export class CronService {
  constructor(
    private readonly pruning: PruneService,
    private readonly tasks: CronTasks,
  ) {}

  async run({ isDryRun = false, by = THE_SERVICE } = {}): Promise<CronRun> {
    const startedAt = performance.now();
    const pruned = await this.pruning.prune({ isDryRun, by });
    const reconciled = pruned.skipped ? null : await this.tasks.reconcile({ isDryRun });
    return {
      ...pruned,
      reconciled,
      complete: pruned.complete && reconciled?.isComplete !== false,
      durationMs: Math.round(performance.now() - startedAt),
    };
  }
}
