import { Injectable } from '@nestjs/common';
import { NotFound } from '../http/errors.js';
import { type Page, pageOf } from '../http/page.js';
import type { ListCustomers } from './billing.dto.js';
import type { BillingCustomer } from './billing-customer.entity.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';
import { StripeSync } from './stripe-sync.js';

/** The customers as a SYSTEM_ADMIN sees them, and has them set right. */
@Injectable()
export class CustomersService {
  constructor(
    private readonly customers: BillingCustomersRepository,
    private readonly stripeSync: StripeSync,
  ) {}

  list(query: ListCustomers): Promise<Page<BillingCustomer>> {
    return pageOf(query, (before, limit) => this.customers.findAll(query, before, limit));
  }

  /**
   * Reads a customer from Stripe, and makes Stripe agree with the tables; one that Stripe has not made yet has nothing to
   * read. Throws NotFound, BillingModeMismatch, and PaymentProviderError when Stripe does not stay as it is set.
   */
  async reconcile(id: string): Promise<{ customer: BillingCustomer; isCorrected: boolean }> {
    const known = await this.find(id);
    const isCorrected = known.stripeCustomerId !== null && (await this.stripeSync.sync(id));
    return { customer: await this.find(id), isCorrected };
  }

  private async find(id: string): Promise<BillingCustomer> {
    const customer = await this.customers.find({ id });
    if (!customer) throw new NotFound();
    return customer;
  }
}
