import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import { Transactions } from '../audit/transactions.js';
import type { Actor, CallerUser } from '../http/caller.js';
import { InsufficientRole, NoSubscription } from '../http/errors.js';
import { isAtLeast, Role } from '../http/role.js';
import { Links } from '../mail/links.js';
import { BillingCustomersRepository, payerOf } from './billing-customers.repository.js';
import { InjectStripe } from './stripe-client.js';

/** Lets a customer change or cancel the subscription on Stripe's own page. */
@Injectable()
export class PortalService {
  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly links: Links,
    private readonly transactions: Transactions,
  ) {}

  /** The address of a portal session; that of an organization is for its admins. Throws NoSubscription. */
  async open(caller: CallerUser, by: Actor): Promise<string> {
    if (caller.orgId !== null && !isAtLeast(caller.role, Role.ORG_ADMIN)) throw new InsufficientRole();
    const customer = await this.customers.find(payerOf(caller));
    if (!customer?.stripeCustomerId || customer.subscriptionId === null) throw new NoSubscription();

    const session = await this.stripe.billingPortal.sessions.create({
      customer: customer.stripeCustomerId,
      return_url: this.links.billing(),
    });
    await this.transactions.record('portal.opened', by, payerOf(caller));
    return session.url;
  }
}
