import { Injectable, Logger } from '@nestjs/common';
import type Stripe from 'stripe';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { THE_SERVICE } from '../http/caller.js';
import { BillingModeMismatch, SubscriptionActive } from '../http/errors.js';
import type { BillingCustomer } from './billing-customer.entity.js';
import {
  BillingCustomersRepository,
  type Payer,
  type Reading,
  type StripeCustomer,
} from './billing-customers.repository.js';
import { Dunning } from './dunning.js';
import { InjectStripe, isOfOtherMode } from './stripe-client.js';
import { nullIfMissing } from './stripe-errors.js';
import {
  currentOf,
  fromUnixTime,
  hadTrial,
  isRunning,
  NO_SUBSCRIPTION,
  type SubscriptionState,
  stateOf,
} from './subscription-state.js';

/** Entries in one answer of Stripe at most; more than any customer has subscriptions or open invoices. */
const PAGE_LIMIT = 100;

/**
 * Reads from Stripe what a customer's subscription is now, stores it, and records what changed by it. What an event
 * says is not looked at: events come late, twice and out of order.
 *
 * No transaction is open while it reads: while Stripe is slow, ten events would hold all connections of the pool. So
 * the customer's row is locked only to store what was read, and of two readings the one that began later wins: it has
 * seen all that the other one saw.
 */
@Injectable()
export class SubscriptionsService {
  private readonly logger = new Logger(SubscriptionsService.name);

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly transactions: Transactions,
    private readonly dunning: Dunning,
    private readonly environment: Environment,
  ) {}

  /**
   * Throws SubscriptionActive when a payer who is about to be deleted would go on being charged. A payer who has
   * cancelled need not wait for the end of the period. Otherwise the customer is locked until the transaction ends:
   * last, after the organization, the system admins and the user.
   */
  async assertNotSubscribed(payer: Payer, tx: Transaction): Promise<void> {
    const customer = await this.customers.lock(payer, tx);
    if (customer && isRunning(customer) && !customer.cancelAtPeriodEnd) throw new SubscriptionActive();
  }

  /** Reads and stores. Returns null when the customer was deleted at Stripe. Throws BillingModeMismatch. */
  async refresh(customer: StripeCustomer): Promise<SubscriptionState | null> {
    const reading = await this.read(customer);
    await this.transactions.run(THE_SERVICE, (tx) => this.store(reading, tx));
    return reading.state;
  }

  /** Throws BillingModeMismatch when Stripe does not know the customer. */
  async read(customer: StripeCustomer): Promise<Reading> {
    this.assertOfOurMode(customer);
    const number = await this.customers.drawNumber();
    const found = await this.find(customer);
    if (found.deleted) return { customerId: customer.id, number, state: null };
    const subscribed = await this.subscribedAs(customer.stripeCustomerId);
    return { customerId: customer.id, number, livemode: found.livemode, ...subscribed };
  }

  /**
   * Throws BillingModeMismatch where a customer was made with a key of the other mode, test or live. Stripe need not be
   * asked: it would not know the customer.
   */
  assertOfOurMode(customer: BillingCustomer): void {
    if (!isOfOtherMode(customer, this.environment)) return;
    this.logger.error(
      { event: 'customer.of_other_mode', customer: customer.id, stripe_customer: customer.stripeCustomerId },
      'A customer was made in the other mode of Stripe, test or live, than the key is of.',
    );
    throw new BillingModeMismatch();
  }

  /**
   * Forgets whose a customer was that Stripe does not know or that is of the other mode, so that a new one is made for
   * the payer. Returns false when Stripe was found to know it meanwhile.
   */
  async forget(id: string): Promise<boolean> {
    const number = await this.customers.drawNumber();
    return this.transactions.run(THE_SERVICE, async (tx) => {
      const before = await this.customers.lockUnknown(id, tx);
      if (before === null) return false;
      await this.customers.store({ customerId: id, number, state: null }, tx);
      await this.record(before, NO_SUBSCRIPTION, tx);
      return true;
    });
  }

  /** Stores a reading, unless one is stored that began later. */
  async store(reading: Reading, tx: Transaction): Promise<void> {
    const before = await this.customers.lockBefore(reading, tx);
    if (before === null) return;
    await this.customers.store(reading, tx);
    await this.record(before, reading.state ?? NO_SUBSCRIPTION, tx);
    await this.dunning.mail(before, reading, tx);
  }

  /**
   * A customer whom Stripe deleted is still known to it, so one it does not know is of another account or mode: nothing
   * is made anew, and nothing forgotten, because the key may be the wrong one.
   */
  private async find({ id, stripeCustomerId }: StripeCustomer) {
    const customer = await this.stripe.customers.retrieve(stripeCustomerId).catch(nullIfMissing);
    if (customer !== null) return customer;

    await this.customers.noteUnknown(id);
    this.logger.error(
      { event: 'customer.unknown_at_stripe', customer: id, stripe_customer: stripeCustomerId },
      'Stripe does not know a customer: the key is of another account or mode than the one the customer was made in.',
    );
    throw new BillingModeMismatch();
  }

  private async subscribedAs(customer: string): Promise<Pick<Reading, 'state' | 'overdueInvoiceId'>> {
    const { data } = await this.stripe.subscriptions.list({ customer, status: 'all', limit: PAGE_LIMIT });
    if (data.filter(isRunning).length > 1)
      this.logger.warn(
        { event: 'customer.subscribed_twice', stripe_customer: customer },
        'A customer pays for more than one subscription at Stripe.',
      );
    const subscription = currentOf(data);
    if (!subscription) return { state: NO_SUBSCRIPTION };
    const owed = await this.firstOwed(subscription);
    const pastDueSince = owed ? fromUnixTime(dueOf(owed)) : null;
    return {
      state: stateOf(subscription, { pastDueSince, trialUsed: hadTrial(data) }),
      ...(owed && isDue(owed) && { overdueInvoiceId: owed.id }),
    };
  }

  /**
   * The open invoice that had to be paid first, while a subscription is past due: the next one, a month later, brings no
   * new grace. One that is due later counts only where none is due yet.
   */
  private async firstOwed({ id, status }: Stripe.Subscription): Promise<Stripe.Invoice | undefined> {
    if (status !== 'past_due') return undefined;
    const { data } = await this.stripe.invoices.list({ subscription: id, status: 'open', limit: PAGE_LIMIT });
    return data.toSorted((a, b) => dueOf(a) - dueOf(b) || a.created - b.created)[0];
  }

  /** Only a change of what is paid for is recorded: Stripe reports every invoice. */
  private async record(before: BillingCustomer, after: SubscriptionState, tx: Transaction): Promise<void> {
    const [was, is] = [termsOf(before), termsOf(after)];
    if (Object.entries(is).every(([name, term]) => was[name as keyof typeof was] === term)) return;

    const { userId, orgId } = before;
    const details = { ...is, former_status: was.status };
    await tx.record('subscription.changed', { userId, orgId, details });
  }
}

/** When an invoice has to be paid, in seconds: by its due date where it is sent, when it is made where Stripe charges. */
function dueOf({ due_date, created }: Stripe.Invoice): number {
  return due_date ?? created;
}

/** Whether an invoice has to be paid by now. One that Stripe charges has, also where its clock is ahead of ours. */
function isDue({ due_date }: Stripe.Invoice): boolean {
  return due_date === null || fromUnixTime(due_date).getTime() <= Date.now();
}

function termsOf({ status, priceId, quantity, cancelAtPeriodEnd }: SubscriptionState) {
  return { status, price_id: priceId, quantity, cancel_at_period_end: cancelAtPeriodEnd };
}
