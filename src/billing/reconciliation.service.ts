import { Injectable, Logger } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { AlignmentService } from './alignment.service.js';
import { DriftRepository } from './drift.repository.js';
import { isBillingOn } from './stripe-client.js';

/** Customers read at the same time: some 25 requests a second, which Stripe allows even a test account. */
const BATCH = 5;

/** A run stops beginning batches after this long; the next run goes on. */
const BUDGET_MS = 10_000;

/** What a run of the reconciliation did. */
export interface Reconciled {
  /** Customers whose subscription was read, or in a dry run would be. */
  customers: number;
  /** Those among them whose subscription had to be set right at Stripe. */
  corrected: number;
  /** Those among them with whom it failed; the next run tries again. */
  failed: number;
  /** Whether nobody was left over for the next run. */
  isComplete: boolean;
}

/** Reads from Stripe what no event told within a day, and sets right what has drifted. */
@Injectable()
export class ReconciliationService {
  private readonly logger = new Logger(ReconciliationService.name);

  constructor(
    private readonly alignment: AlignmentService,
    private readonly drifts: DriftRepository,
    private readonly environment: Environment,
  ) {}

  /** Reconciles whoever is due; a customer with whom it fails holds nobody else up. Returns null when billing is off. */
  async reconcile({ isDryRun }: { isDryRun: boolean }): Promise<Reconciled | null> {
    if (!isBillingOn(this.environment)) return null;
    const result: Reconciled = { customers: 0, corrected: 0, failed: 0, isComplete: true };
    if (isDryRun) return { ...result, customers: await this.drifts.countDue() };

    const deadline = performance.now() + BUDGET_MS;
    const failed: string[] = [];
    let batch: string[];
    do {
      batch = await this.drifts.findDue(failed, BATCH);
      const corrected = await Promise.all(batch.map((id) => this.alignOne(id, failed)));
      result.customers += batch.length;
      result.corrected += corrected.filter(Boolean).length;
    } while (batch.length === BATCH && performance.now() < deadline);
    return { ...result, failed: failed.length, isComplete: batch.length < BATCH };
  }

  private async alignOne(id: string, failed: string[]): Promise<boolean> {
    try {
      return await this.alignment.align(id);
    } catch (error) {
      this.logger.warn(error, `customer ${id} could not be reconciled`);
      failed.push(id);
      return false;
    }
  }
}
