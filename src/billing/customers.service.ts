import { Injectable } from '@nestjs/common';
import { NotFound } from '../http/errors.js';
import { type Page, pageOf } from '../http/page.js';
import type { ListCustomers } from './billing.dto.js';
import { BillingCustomersRepository, type NamedCustomer } from './billing-customers.repository.js';
import { StripeSync } from './stripe-sync.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** The customers as a SYSTEM_ADMIN sees them, and has them set right. */
@Injectable()
export class CustomersService {
  constructor(
    private readonly customers: BillingCustomersRepository,
    private readonly stripeSync: StripeSync,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  async list(query: ListCustomers): Promise<Page<NamedCustomer>> {
    const page = await pageOf(query, (before, limit) => this.customers.findAll(query, before, limit));
    return { ...page, data: await this.customers.name(page.data) };
  }

  /**
   * Reads a customer from Stripe, and makes Stripe agree with the tables; one that Stripe has not made yet has nothing to
   * read. Throws NotFound, BillingModeMismatch, and PaymentProviderError when Stripe does not stay as it is set.
   */
  async reconcile(id: string): Promise<{ customer: NamedCustomer; isCorrected: boolean }> {
    const known = await this.find(id);
    const isCorrected = known.stripeCustomerId !== null && (await this.stripeSync.sync(id));
    return { customer: await this.find(id), isCorrected };
  }

  /**
   * Forgets whose the customers were that Stripe does not know or that are of the other mode. Returns how many. For the
   * operator, who changed the account or the mode on purpose.
   */
  async forgetUnknown(): Promise<number> {
    let forgotten = 0;
    for (const id of await this.customers.findUnknown()) if (await this.subscriptions.forget(id)) forgotten++;
    return forgotten;
  }

  private async find(id: string): Promise<NamedCustomer> {
    const customer = await this.customers.find({ id });
    const [named] = await this.customers.name(customer ? [customer] : []);
    if (!named) throw new NotFound();
    return named;
  }
}
