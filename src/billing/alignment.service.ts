import { Injectable, Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import type Stripe from 'stripe';
import { Environment } from '../config/environment.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';
import { type Drift, DriftRepository } from './drift.repository.js';
import { InjectStripe, isBillingOn } from './stripe-client.js';
import { SubscriptionReader } from './subscription-reader.js';

/** Customers corrected at the same time, so that a day of many joins asks Stripe no faster than it answers. */
const AT_ONCE = 2;

/** Somebody else may keep undoing it: nothing is corrected forever. */
const MAX_CORRECTIONS = 3;

/**
 * Makes subscriptions follow what is decided here: an organization pays for as many seats as it has members, and
 * nobody is charged for an organization or a user that no longer exists.
 *
 * Nothing is queued for it: the drift can be seen in the tables. So no request waits for Stripe or fails with it, and
 * the reconciliation finds what could not be corrected at once.
 */
@Injectable()
export class AlignmentService {
  private readonly logger = new Logger(AlignmentService.name);
  private readonly limit = pLimit(AT_ONCE);

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly drifts: DriftRepository,
    private readonly reader: SubscriptionReader,
    private readonly environment: Environment,
  ) {}

  /**
   * Corrects a customer's subscription soon, without making the caller wait. What fails is left to the
   * reconciliation.
   */
  follow(where: { id: string } | { orgId: string }): void {
    if (!isBillingOn(this.environment)) return;
    this.limit(() => this.alignIfAdrift(where)).catch((error) =>
      this.logger.warn(error, 'a subscription is adrift, and left to the reconciliation'),
    );
  }

  /**
   * Reads a customer's subscription, corrects it and reads it again, until nothing is left to do: of two who count
   * the members at once, the last to write has counted them all. Returns whether anything was corrected.
   */
  async align(id: string): Promise<boolean> {
    const customer = await this.customers.get(id);
    for (let corrections = 0; corrections <= MAX_CORRECTIONS; corrections++) {
      await this.reader.refresh(customer);
      const drift = await this.drifts.find({ id });
      if (!drift) return corrections > 0;
      await this.correct(drift);
    }
    throw new Error(`The subscription of customer ${id} does not stay as it is set`);
  }

  private async alignIfAdrift(where: { id: string } | { orgId: string }): Promise<void> {
    const drift = await this.drifts.find(where);
    if (drift) await this.align(drift.customerId);
  }

  private async correct({ customerId, subscriptionId, itemId, seats }: Drift): Promise<void> {
    if (seats === null) await this.stripe.subscriptions.cancel(subscriptionId);
    else await this.stripe.subscriptionItems.update(itemId, { quantity: seats });
    this.logger.log({ customer: customerId, seats }, 'a subscription was set right');
  }
}
