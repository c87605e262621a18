import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import { Transactions } from '../audit/transactions.js';
import type { Actor, CallerUser } from '../http/caller.js';
import { InsufficientRole, NoSubscription } from '../http/errors.js';
import { isAtLeast, Role } from '../http/role.js';
import { Links } from '../mail/links.js';
import { Languages } from '../words/languages.js';
import { BillingCustomersRepository, payerOf, type StripeCustomer } from './billing-customers.repository.js';
import { InjectStripe } from './stripe-client.js';
import { isMissing } from './stripe-errors.js';
import { stripeLocale, wantedLocale } from './stripe-locale.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** Lets a customer change or cancel the subscription on Stripe's own page. */
@Injectable()
export class PortalService {
  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly subscriptions: SubscriptionsService,
    private readonly links: Links,
    private readonly transactions: Transactions,
    private readonly languages: Languages,
  ) {}

  /**
   * The address of a portal session; that of an organization is for its admins. Throws NoSubscription,
   * BillingModeMismatch.
   */
  async open(caller: CallerUser, by: Actor): Promise<string> {
    if (caller.orgId !== null && !isAtLeast(caller.role, Role.ORG_ADMIN)) throw new InsufficientRole();
    const customer = await this.customers.find(payerOf(caller));
    if (!customer?.stripeCustomerId || customer.subscriptionId === null) throw new NoSubscription();
    this.subscriptions.assertOfOurMode(customer);

    const { url } = await this.openFor(customer as StripeCustomer, by);
    await this.transactions.record('portal.opened', by, payerOf(caller));
    return url;
  }

  private async openFor(customer: StripeCustomer, by: Actor): Promise<{ url: string }> {
    try {
      return await this.stripe.billingPortal.sessions.create({
        customer: customer.stripeCustomerId,
        return_url: this.links.billing(customer.orgId),
        locale: stripeLocale(wantedLocale(by, this.languages)),
      });
    } catch (error) {
      const isDeleted = isMissing(error) && (await this.subscriptions.refresh(customer)) === null;
      throw isDeleted ? new NoSubscription() : error;
    }
  }
}
