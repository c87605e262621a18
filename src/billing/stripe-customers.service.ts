import { Injectable, Logger } from '@nestjs/common';
import type Stripe from 'stripe';
import type { CallerUser } from '../http/caller.js';
import { Unauthenticated } from '../http/errors.js';
import type { BillingCustomer } from './billing-customer.entity.js';
import { BillingCustomersRepository, payerOf, type StripeCustomer } from './billing-customers.repository.js';
import { StripeAttemptsRepository } from './stripe-attempts.repository.js';
import { InjectStripe } from './stripe-client.js';
import { isInvalidRequest, isMissing } from './stripe-errors.js';

/** Makes one customer at Stripe for each organization or user, when it is first needed. */
@Injectable()
export class StripeCustomersService {
  private readonly logger = new Logger(StripeCustomersService.name);

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly attempts: StripeAttemptsRepository,
  ) {}

  /** The customer who pays for a user, whose language a new one gets. Returns null when one that was just made is deleted at Stripe already. */
  async ensureFor(user: CallerUser, locale: string | null): Promise<StripeCustomer | null> {
    const customer = await this.customers.findOrInsert(payerOf(user));
    if (!customer) throw new Unauthenticated();
    return customer.stripeCustomerId === null
      ? this.create(customer, user, locale)
      : (customer as StripeCustomer);
  }

  /**
   * Creates it with what never changes, so that a retry is the same request; name, address and language follow
   * in an update.
   */
  private async create(
    { id, orgId }: BillingCustomer,
    user: CallerUser,
    locale: string | null,
  ): Promise<StripeCustomer | null> {
    const request = { metadata: orgId === null ? { user_id: user.id } : { org_id: orgId } };
    const attempt = await this.attempts.begin(id, 'customer', request);
    const made = await this.attempts.run(attempt, (idempotencyKey) =>
      this.stripe.customers.create(request, { idempotencyKey }),
    );

    const email = await this.customers.findAddress(id);
    const name = orgId === null ? user.name : await this.customers.findOrgName(orgId);
    try {
      await this.describe(made.id, { email, name, locale });
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.attempts.drop(attempt);
      return null;
    }
    return this.customers.identify(id, made.id, email);
  }

  /**
   * Tells Stripe the address, the name and the language of a customer, as far as they are known. An address that Stripe does not take
   * is left out: Stripe would refuse it each time, and the customer could never pay.
   */
  async describe(
    stripeCustomerId: string,
    { email, name, locale = null }: { email: string | null; name: string | null; locale?: string | null },
  ): Promise<void> {
    try {
      await this.stripe.customers.update(stripeCustomerId, {
        ...(email !== null && { email }),
        ...(name !== null && { name }),
        ...(locale !== null && { preferred_locales: [locale] }),
      });
    } catch (error) {
      if (email === null || !isInvalidRequest(error) || error.code !== 'email_invalid') throw error;
      this.logger.warn(
        { event: 'customer.address_refused', stripe_customer: stripeCustomerId },
        'Stripe does not take the address of a customer; the service leaves the address at Stripe as it is.',
      );
      await this.describe(stripeCustomerId, { email: null, name, locale });
    }
  }
}
