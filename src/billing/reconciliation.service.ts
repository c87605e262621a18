import { Injectable, Logger } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { Reconciled } from '../cron/cron-tasks.js';
import { AlignmentService } from './alignment.service.js';
import { DriftRepository } from './drift.repository.js';
import { isBillingOn } from './stripe-client.js';

/** Customers looked up for a run; more than its time allows. */
const MAX_DUE = 1_000;

/** Customers read at the same time: some 25 requests a second, which Stripe allows even a test account. */
const AT_ONCE = 5;

/** A run begins with no more customers after this long; the next run goes on. */
const BUDGET_MS = 10_000;

/** Reads from Stripe what no event has told of for a day, and corrects what has drifted. */
@Injectable()
export class ReconciliationService {
  private readonly logger = new Logger(ReconciliationService.name);

  constructor(
    private readonly alignment: AlignmentService,
    private readonly drifts: DriftRepository,
    private readonly environment: Environment,
  ) {}

  /**
   * Reconciles whoever is due; a customer with whom it fails holds nobody else up. Returns null when billing is off.
   */
  async reconcile({ isDryRun }: { isDryRun: boolean }): Promise<Reconciled | null> {
    if (!isBillingOn(this.environment)) return null;
    const due = await this.drifts.findDue(MAX_DUE);
    const result = { customers: 0, corrected: 0, failed: 0 };
    if (isDryRun) return { ...result, customers: due.length, isComplete: due.length < MAX_DUE };

    const deadline = performance.now() + BUDGET_MS;
    while (result.customers < due.length && performance.now() < deadline) {
      const batch = due.slice(result.customers, result.customers + AT_ONCE);
      const outcomes = await Promise.all(batch.map((id) => this.align(id)));
      result.customers += batch.length;
      result.corrected += outcomes.filter((outcome) => outcome === 'corrected').length;
      result.failed += outcomes.filter((outcome) => outcome === 'failed').length;
    }
    const isLeftOver = result.customers < due.length || due.length === MAX_DUE;
    return { ...result, isComplete: !isLeftOver && result.failed === 0 };
  }

  private async align(id: string): Promise<'right' | 'corrected' | 'failed'> {
    try {
      return (await this.alignment.align(id)) ? 'corrected' : 'right';
    } catch (error) {
      this.logger.warn(error, `customer ${id} could not be reconciled`);
      return 'failed';
    }
  }
}
