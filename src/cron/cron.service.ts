import { Injectable } from '@nestjs/common';
import { type Reconciled, ReconciliationService } from '../billing/reconciliation.service.js';
import { NOBODY } from '../http/caller.js';
import { type Pruned, PruneService } from './prune.service.js';

/** What a run did; nothing was reconciled where billing is off, or another run is under way. */
export type CronRun = Pruned & { reconciled: Reconciled | null };

/** Does what is due once an hour: first the prune, which needs nothing but the database, then what needs Stripe. */
@Injectable()
export class CronService {
  constructor(
    private readonly pruning: PruneService,
    private readonly reconciliation: ReconciliationService,
  ) {}

  async run({ isDryRun = false, by = NOBODY } = {}): Promise<CronRun> {
    const startedAt = performance.now();
    const pruned = await this.pruning.prune({ isDryRun, by });
    const reconciled = pruned.skipped ? null : await this.reconciliation.reconcile({ isDryRun });
    return {
      ...pruned,
      reconciled,
      complete: pruned.complete && reconciled?.isComplete !== false,
      durationMs: Math.round(performance.now() - startedAt),
    };
  }
}
