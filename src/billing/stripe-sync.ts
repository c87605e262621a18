import { Injectable, Logger } from '@nestjs/common';
import pLimit from 'p-limit';
import type Stripe from 'stripe';
import { Environment } from '../config/environment.js';
import { PaymentProviderError } from '../http/errors.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';
import { type Difference, DifferencesRepository, type WhichCustomers } from './differences.repository.js';
import { InjectStripe, isBillingOn } from './stripe-client.js';
import { StripeCustomersService } from './stripe-customers.service.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** Customers corrected at the same time, so that a day of many joins asks Stripe no faster than it answers. */
const AT_ONCE = 2;

/** A person at Stripe's dashboard may keep undoing it: nothing is corrected forever. */
const MAX_CORRECTIONS = 3;

/**
 * Makes Stripe agree with the tables: an organization pays for as many seats as it has members, Stripe charges nothing
 * for an organization or a user that no longer exists, and a customer has the address of an admin, or of the user.
 *
 * Nothing is queued for it: the tables show each difference. So no request waits for Stripe or fails with it, and the
 * reconciliation finds what could not be corrected at once.
 */
@Injectable()
export class StripeSync {
  private readonly logger = new Logger(StripeSync.name);
  private readonly limit = pLimit(AT_ONCE);
  /** The last correction of each customer that is not over yet. */
  private readonly underWay = new Map<string, Promise<unknown>>();

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly stripeCustomers: StripeCustomersService,
    private readonly differences: DifferencesRepository,
    private readonly subscriptions: SubscriptionsService,
    private readonly environment: Environment,
  ) {}

  /**
   * Corrects customers soon, without making the caller wait. What fails is left to the reconciliation.
   */
  soon(which: WhichCustomers): void {
    if (!isBillingOn(this.environment)) return;
    this.limit(() => this.syncThoseThatDiffer(which)).catch((err) =>
      this.logger.warn(
        { event: 'stripe.sync_failed', which, err },
        'The service could not correct a customer at Stripe; the reconciliation tries again.',
      ),
    );
  }

  /**
   * Corrects a customer, once the corrections of the same one that this process has begun are over: two at once would
   * take each other's address for one that came in between. Returns whether anything was corrected.
   */
  async sync(id: string): Promise<boolean> {
    const before = this.underWay.get(id) ?? Promise.resolve();
    const correction = before.catch(() => {}).then(() => this.correctUntilRight(id));
    this.underWay.set(id, correction);
    try {
      return await correction;
    } finally {
      if (this.underWay.get(id) === correction) this.underWay.delete(id);
    }
  }

  /**
   * Reads a customer's subscription, corrects it and reads it again, until nothing is left to do: of two replicas that
   * count the members at once, the last to write has counted them all.
   */
  private async correctUntilRight(id: string): Promise<boolean> {
    const customer = await this.customers.get(id);
    for (let corrections = 0; corrections <= MAX_CORRECTIONS; corrections++) {
      await this.subscriptions.refresh(customer);
      const [difference] = await this.differences.find({ id });
      if (!difference) return corrections > 0;
      await this.correct(difference);
    }
    throw Object.assign(new PaymentProviderError(), {
      cause: new Error(`Customer ${id} does not stay at Stripe as it is set`),
    });
  }

  private async syncThoseThatDiffer(which: WhichCustomers): Promise<void> {
    for (const { customerId } of await this.differences.find(which)) await this.sync(customerId);
  }

  private async correct({ customerId, stripeCustomerId, subscription, address }: Difference): Promise<void> {
    if (subscription) await this.correctSubscription(customerId, subscription);
    if (!address) return;
    await this.stripeCustomers.describe(stripeCustomerId, { email: address.email, name: null });
    await this.customers.noteAddress(customerId, address.former, address.email);
    this.logger.log(
      { event: 'customer.address_synced', customer: customerId },
      'The service corrected the address of a customer at Stripe.',
    );
  }

  private async correctSubscription(
    customer: string,
    { id, itemId, seats }: NonNullable<Difference['subscription']>,
  ): Promise<void> {
    if (seats === null) await this.stripe.subscriptions.cancel(id);
    else await this.stripe.subscriptionItems.update(itemId, { quantity: seats });
    this.logger.log(
      { event: 'subscription.synced', customer, seats },
      'The service corrected a subscription at Stripe.',
    );
  }
}
