import { Injectable, Logger } from '@nestjs/common';
import type Stripe from 'stripe';
import {
  BillingCustomersRepository,
  type Reading,
  type StripeCustomer,
} from './billing-customers.repository.js';
import { InjectStripe } from './stripe-client.js';
import {
  currentOf,
  fromUnixTime,
  isRunning,
  NO_SUBSCRIPTION,
  type SubscriptionState,
  stateOf,
} from './subscription-state.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** Entries in one answer of Stripe at most; more than any customer has subscriptions or open invoices. */
const PAGE_LIMIT = 100;

/**
 * Reads from Stripe what a customer's subscription is now. What an event tells is not looked at: events come late,
 * twice and out of order.
 *
 * No transaction is open meanwhile: while Stripe is slow, ten events would hold all connections of the pool. So the
 * customer's row is locked only to store what was read, and of two readings the one that began later wins: it has
 * seen all that the other one saw.
 */
@Injectable()
export class SubscriptionReader {
  private readonly logger = new Logger(SubscriptionReader.name);

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  async read({ id: customerId, stripeCustomerId }: StripeCustomer): Promise<Reading> {
    const number = await this.customers.drawNumber();
    const customer = await this.stripe.customers.retrieve(stripeCustomerId);
    const state = customer.deleted ? null : await this.stateFor(stripeCustomerId);
    return { customerId, number, state };
  }

  /** Reads and stores. Returns null when the customer was deleted at Stripe. */
  async refresh(customer: StripeCustomer): Promise<SubscriptionState | null> {
    const reading = await this.read(customer);
    await this.subscriptions.store(reading);
    return reading.state;
  }

  private async stateFor(customer: string): Promise<SubscriptionState> {
    const { data } = await this.stripe.subscriptions.list({ customer, status: 'all', limit: PAGE_LIMIT });
    if (data.filter(isRunning).length > 1) this.logger.warn({ customer }, 'a customer pays more than once');
    const subscription = currentOf(data);
    return subscription ? stateOf(subscription, await this.pastDueSince(subscription)) : NO_SUBSCRIPTION;
  }

  /** Counted from the oldest invoice still open: the next one, a month later, brings no new grace. */
  private async pastDueSince({ id, status }: Stripe.Subscription): Promise<Date | null> {
    if (status !== 'past_due') return null;
    const { data } = await this.stripe.invoices.list({ subscription: id, status: 'open', limit: PAGE_LIMIT });
    const oldest = data.at(-1);
    return oldest ? fromUnixTime(oldest.created) : null;
  }
}
