import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { THE_SERVICE } from '../http/caller.js';
import type { BillingCustomer } from './billing-customer.entity.js';
import { BillingCustomersRepository, type Reading } from './billing-customers.repository.js';
import { NO_SUBSCRIPTION, type SubscriptionState } from './subscription-state.js';

/** Keeps what was read of subscriptions, and records what changed by it for whoever pays. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly customers: BillingCustomersRepository,
    private readonly transactions: Transactions,
  ) {}

  /** Stores a reading, unless one is stored that began later. */
  async store(reading: Reading, tx?: Transaction): Promise<void> {
    if (tx === undefined) return this.transactions.run(THE_SERVICE, (own) => this.store(reading, own));

    const before = await this.customers.lockBefore(reading, tx);
    if (before === null) return;
    await this.customers.store(reading, tx);
    await this.record(before, reading.state ?? NO_SUBSCRIPTION, tx);
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

function termsOf({ status, priceId, quantity, cancelAtPeriodEnd }: SubscriptionState) {
  return { status, price_id: priceId, quantity, cancel_at_period_end: cancelAtPeriodEnd };
}
