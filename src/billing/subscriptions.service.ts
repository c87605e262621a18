import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../audit/audit.js';
import { THE_SERVICE } from '../http/caller.js';
import type { BillingCustomer } from './billing-customer.entity.js';
import { BillingCustomersRepository, type Reading } from './billing-customers.repository.js';
import { NO_SUBSCRIPTION, type SubscriptionState } from './subscription-state.js';

/** Keeps what was read of subscriptions, and records what changed by it for whoever pays. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly customers: BillingCustomersRepository,
    private readonly audit: Audit,
    private readonly database: DataSource,
  ) {}

  /** Stores a reading, unless one is stored that began later. */
  async store(reading: Reading, manager?: EntityManager): Promise<void> {
    if (manager === undefined)
      return this.database.transaction((transaction) => this.store(reading, transaction));

    const before = await this.customers.lockBefore(reading, manager);
    if (before === null) return;
    await this.customers.store(reading, manager);
    await this.record(before, reading.state ?? NO_SUBSCRIPTION, manager);
  }

  /** Only a change of what is paid for is recorded: Stripe reports every invoice. */
  private async record(
    before: BillingCustomer,
    after: SubscriptionState,
    manager: EntityManager,
  ): Promise<void> {
    const [was, is] = [termsOf(before), termsOf(after)];
    if (Object.entries(is).every(([name, term]) => was[name as keyof typeof was] === term)) return;

    const { userId, orgId } = before;
    const details = { ...is, former_status: was.status };
    await this.audit.record(
      { type: 'subscription.changed', by: THE_SERVICE, userId, orgId, details },
      manager,
    );
  }
}

function termsOf({ status, priceId, quantity, cancelAtPeriodEnd }: SubscriptionState) {
  return { status, price_id: priceId, quantity, cancel_at_period_end: cancelAtPeriodEnd };
}
