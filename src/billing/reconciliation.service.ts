import { Injectable, Logger } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import type { Reconciled } from '../cron/cron-tasks.js';
import { DifferencesRepository } from './differences.repository.js';
import { isBillingOn } from './stripe-client.js';
import { StripeSync } from './stripe-sync.js';

/** Customers looked up for a run; more than its time allows. */
const MAX_CUSTOMERS = 1_000;

/** Customers read at the same time: some 25 requests a second, which Stripe allows even a test account. */
const AT_ONCE = 5;

/** A run begins with no more customers after this long; the next run goes on. */
const BUDGET_MS = 10_000;

/** Reads from Stripe the customers of whom no event has reported for a day, and corrects those that differ. */
@Injectable()
export class ReconciliationService {
  private readonly logger = new Logger(ReconciliationService.name);

  constructor(
    private readonly stripeSync: StripeSync,
    private readonly differences: DifferencesRepository,
    private readonly environment: Environment,
  ) {}

  /**
   * Reconciles the customers to check; one with whom it fails does not hold up the others. Returns null when billing is
   * off.
   */
  async reconcile({ isDryRun }: { isDryRun: boolean }): Promise<Reconciled | null> {
    if (!isBillingOn(this.environment)) return null;
    const toCheck = await this.differences.findToCheck(MAX_CUSTOMERS);
    const result = { customers: 0, corrected: 0, failed: 0 };
    if (isDryRun) return { ...result, customers: toCheck.length, isComplete: toCheck.length < MAX_CUSTOMERS };

    const deadline = performance.now() + BUDGET_MS;
    while (result.customers < toCheck.length && performance.now() < deadline) {
      const batch = toCheck.slice(result.customers, result.customers + AT_ONCE);
      const outcomes = await Promise.all(batch.map((id) => this.sync(id)));
      result.customers += batch.length;
      result.corrected += outcomes.filter((outcome) => outcome === 'corrected').length;
      result.failed += outcomes.filter((outcome) => outcome === 'failed').length;
    }
    const isLeftOver = result.customers < toCheck.length || toCheck.length === MAX_CUSTOMERS;
    return { ...result, isComplete: !isLeftOver && result.failed === 0 };
  }

  private async sync(customer: string): Promise<'right' | 'corrected' | 'failed'> {
    try {
      return (await this.stripeSync.sync(customer)) ? 'corrected' : 'right';
    } catch (err) {
      this.logger.warn(
        { event: 'stripe.reconciliation_failed', customer, err },
        'The service could not reconcile a customer with Stripe; the next run tries again.',
      );
      return 'failed';
    }
  }
}
