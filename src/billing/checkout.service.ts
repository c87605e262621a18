import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import { Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { tryAgain } from '../database/contention.js';
import type { Actor, CallerUser } from '../http/caller.js';
import { AlreadySubscribed, UnknownPrice } from '../http/errors.js';
import { Links } from '../mail/links.js';
import { BillingCustomersRepository, payerOf, type StripeCustomer } from './billing-customers.repository.js';
import { type Attempt, StripeAttempts } from './stripe-attempts.js';
import { InjectStripe } from './stripe-client.js';
import { StripeCustomersService } from './stripe-customers.service.js';
import { isInvalidRequest, isStripeError } from './stripe-errors.js';
import { isRunning } from './subscription-state.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** What is asked of Stripe for a checkout. */
type CheckoutRequest = Stripe.Checkout.SessionCreateParams & { mode: 'subscription' | 'payment' };

/** Where the client sends the browser to pay. */
export interface Checkout {
  id: string;
  url: string;
}

/** Lets a customer pay on Stripe's own page. */
@Injectable()
export class CheckoutService {
  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly stripeCustomers: StripeCustomersService,
    private readonly customers: BillingCustomersRepository,
    private readonly attempts: StripeAttempts,
    private readonly subscriptions: SubscriptionsService,
    private readonly links: Links,
    private readonly transactions: Transactions,
    private readonly environment: Environment,
  ) {}

  /**
   * Opens a checkout, or returns the one that is open for the same price. A customer has one open for a subscription
   * at a time, and none once there is a subscription: of two, both could be paid. Throws UnknownPrice,
   * AlreadySubscribed.
   */
  start(caller: CallerUser, priceId: string, by: Actor): Promise<Checkout> {
    return tryAgain(() => this.tryToStart(caller, priceId, by));
  }

  /** Returns null when the customer was deleted at Stripe, or the checkout that was open no longer is. */
  private async tryToStart(caller: CallerUser, priceId: string, by: Actor): Promise<Checkout | null> {
    const price = await this.priceOnSale(priceId);
    const customer = await this.stripeCustomers.ensureFor(caller);
    const request = await this.requestFor(customer, price);
    const attempt = await this.begin(customer, request);

    // Read only now, when no other checkout can still be paid.
    const state = await this.subscriptions.refresh(customer);
    if (state === null) return null;
    if (request.mode === 'subscription' && isRunning(state)) throw new AlreadySubscribed();

    const session = await this.open(attempt, request);
    if (session.status !== 'open') {
      await this.attempts.drop(attempt);
      return null;
    }
    await this.transactions.record('checkout.started', by, {
      ...payerOf(caller),
      details: { price_id: priceId },
    });
    // Only a checkout that is embedded in a page of one's own has no address.
    return { id: session.id, url: session.url as string };
  }

  /** A price, if it is on sale: among those named if any are, and active like its product. Throws UnknownPrice. */
  private async priceOnSale(id: string): Promise<Stripe.Price> {
    const { stripePriceIds } = this.environment;
    if (stripePriceIds.length > 0 && !stripePriceIds.includes(id)) throw new UnknownPrice();

    const price = await this.findPrice(id);
    if (!price.active || !isActive(price.product)) throw new UnknownPrice();
    return price;
  }

  private async findPrice(id: string): Promise<Stripe.Price> {
    try {
      return await this.stripe.prices.retrieve(id, { expand: ['product'] });
    } catch (error) {
      if (isStripeError(error) && error.code === 'resource_missing') throw new UnknownPrice();
      throw error;
    }
  }

  private async requestFor({ stripeCustomerId, orgId }: StripeCustomer, price: Stripe.Price) {
    const isMetered = price.recurring?.usage_type === 'metered';
    const isPerSeat = price.recurring !== null && orgId !== null;
    const quantity = isPerSeat ? await this.customers.countSeats(orgId) : 1;
    return {
      mode: price.recurring === null ? 'payment' : 'subscription',
      customer: stripeCustomerId,
      line_items: [{ price: price.id, ...(!isMetered && { quantity }) }],
      success_url: this.links.billing('success'),
      cancel_url: this.links.billing('canceled'),
    } satisfies CheckoutRequest;
  }

  private begin({ id }: StripeCustomer, request: CheckoutRequest): Promise<Attempt> {
    return this.attempts.begin(id, request.mode, request, async (sessionId) => {
      if (request.mode === 'subscription') await this.expire(sessionId);
    });
  }

  private async open(attempt: Attempt, request: CheckoutRequest): Promise<Stripe.Checkout.Session> {
    if (attempt.sessionId !== null) return this.stripe.checkout.sessions.retrieve(attempt.sessionId);

    const session = await this.attempts.run(attempt, (idempotencyKey) =>
      this.stripe.checkout.sessions.create(request, { idempotencyKey }),
    );
    const isCurrent = await this.attempts.record(attempt, session.id);
    if (!isCurrent) await this.expire(session.id);
    return session;
  }

  /** Closes a checkout. One that is paid or has expired is refused, and needs no closing. */
  private async expire(sessionId: string): Promise<void> {
    try {
      await this.stripe.checkout.sessions.expire(sessionId);
    } catch (error) {
      if (!isInvalidRequest(error)) throw error;
    }
  }
}

function isActive(product: Stripe.Price['product']): boolean {
  return typeof product !== 'string' && !product.deleted && product.active;
}
