import { Injectable } from '@nestjs/common';
import type { Expiring } from '../database/expired-rows.repository.js';

/** What a run of the reconciliation did. */
export interface Reconciled {
  /** Customers whose subscription was read, or in a dry run would be. */
  customers: number;
  /** Those among them whose subscription had to be corrected at Stripe. */
  corrected: number;
  /** Those among them with whom it failed; the next run tries again. */
  failed: number;
  /** Whether it failed with none of them, and none was left over for the next run. */
  isComplete: boolean;
}

/** Corrects what differs from another system, or in a dry run only counts; null where there is no such system. */
type Reconcile = (options: { isDryRun: boolean }) => Promise<Reconciled | null>;

/** The work of each run of /cron. A feature adds its own when its module starts. */
@Injectable()
export class CronTasks {
  readonly expiring: Expiring[] = [];
  readonly others: [name: string, work: () => Promise<void>][] = [];
  private reconciliation: Reconcile = async () => null;

  /** Has the rows of a table deleted some days after they are over. */
  prune(expiring: Expiring): void {
    this.expiring.push(expiring);
  }

  /** Has some other work done, which nothing depends on. */
  also(name: string, work: () => Promise<void>): void {
    this.others.push([name, work]);
  }

  reconcileWith(reconciliation: Reconcile): void {
    this.reconciliation = reconciliation;
  }

  reconcile(options: { isDryRun: boolean }): Promise<Reconciled | null> {
    return this.reconciliation(options);
  }
}
