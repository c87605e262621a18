import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import type { CallerUser } from '../http/caller.js';
import { Unauthenticated } from '../http/errors.js';
import type { BillingCustomer } from './billing-customer.entity.js';
import { BillingCustomersRepository, payerOf, type StripeCustomer } from './billing-customers.repository.js';
import { StripeAttempts } from './stripe-attempts.js';
import { InjectStripe } from './stripe-client.js';

/** Makes one customer at Stripe for each organization or user, when it is first needed. */
@Injectable()
export class StripeCustomersService {
  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly attempts: StripeAttempts,
  ) {}

  /** The customer who pays for a user. */
  async ensureFor(user: CallerUser): Promise<StripeCustomer> {
    const customer = await this.customers.findOrInsert(payerOf(user));
    if (!customer) throw new Unauthenticated();
    return customer.stripeCustomerId === null ? this.create(customer, user) : (customer as StripeCustomer);
  }

  /**
   * Creates it with what never changes, so that a retry is the same request; name and address follow in an update.
   */
  private async create({ id, orgId }: BillingCustomer, user: CallerUser): Promise<StripeCustomer> {
    const request = { metadata: orgId === null ? { user_id: user.id } : { org_id: orgId } };
    const attempt = await this.attempts.begin(id, 'customer', request);
    const made = await this.attempts.run(attempt, (idempotencyKey) =>
      this.stripe.customers.create(request, { idempotencyKey }),
    );

    const email = await this.customers.findAddress(id);
    const name = orgId === null ? user.name : await this.customers.findOrgName(orgId);
    await this.stripe.customers.update(made.id, {
      ...(email !== null && { email }),
      ...(name !== null && { name }),
    });
    return this.customers.identify(id, made.id, email);
  }
}
