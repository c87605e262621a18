import { Injectable, Logger } from '@nestjs/common';
import type Stripe from 'stripe';
import { Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { tryAgain } from '../database/contention.js';
import type { Actor, CallerUser } from '../http/caller.js';
import { AlreadySubscribed, CurrencyMismatch } from '../http/errors.js';
import { Links } from '../mail/links.js';
import { Languages } from '../words/languages.js';
import { BillingCustomersRepository, payerOf, type StripeCustomer } from './billing-customers.repository.js';
import { checkoutTerms, isTrialUnreadable, offersTrial } from './checkout-terms.js';
import { PricesService } from './prices.service.js';
import { type Attempt, StripeAttemptsRepository } from './stripe-attempts.repository.js';
import { InjectStripe } from './stripe-client.js';
import { StripeCustomersService } from './stripe-customers.service.js';
import { isInvalidRequest, nullIfMissing } from './stripe-errors.js';
import { stripeLocale, wantedLocale } from './stripe-locale.js';
import { isRunning } from './subscription-state.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** What is asked of Stripe for a checkout. */
type CheckoutRequest = Stripe.Checkout.SessionCreateParams & {
  mode: 'subscription' | 'payment';
  customer: string;
};

type CheckoutLocale = Stripe.Checkout.SessionCreateParams.Locale;

/** Where the client sends the browser to pay. */
export interface Checkout {
  id: string;
  url: string;
}

/** Lets a customer pay on Stripe's own page. */
@Injectable()
export class CheckoutService {
  private readonly logger = new Logger(CheckoutService.name);

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly stripeCustomers: StripeCustomersService,
    private readonly customers: BillingCustomersRepository,
    private readonly attempts: StripeAttemptsRepository,
    private readonly subscriptions: SubscriptionsService,
    private readonly links: Links,
    private readonly transactions: Transactions,
    private readonly prices: PricesService,
    private readonly languages: Languages,
    private readonly environment: Environment,
  ) {}

  /**
   * Opens a checkout, or returns the one that is open for the same price, in whatever language: two admins who speak two would
   * else close the page of each other, and could pay twice. A customer has one open for a subscription at a time, and none once there is a subscription: of two, both could be paid. Throws UnknownPrice,
   * AlreadySubscribed, CurrencyMismatch, BillingModeMismatch.
   */
  start(caller: CallerUser, priceId: string, by: Actor): Promise<Checkout> {
    return tryAgain(() => this.tryToStart(caller, priceId, by));
  }

  /**
   * Returns null when the customer was deleted at Stripe, the checkout that was open no longer is, or the trial that it
   * would offer was used meanwhile.
   */
  private async tryToStart(caller: CallerUser, priceId: string, by: Actor): Promise<Checkout | null> {
    const price = await this.prices.get(priceId);
    this.warnOfTrial(price);
    const locale = wantedLocale(by, this.languages);
    const customer = await this.stripeCustomers.ensureFor(caller, locale);
    if (customer === null) return null;
    this.subscriptions.assertOfOurMode(customer);
    const request = await this.requestFor(customer, price);
    const attempt = await this.begin(customer, request, stripeLocale(locale));

    // Read only now, when no other checkout can still be paid.
    const state = await this.subscriptions.refresh(customer);
    if (state === null) return null;
    if (request.mode === 'subscription' && isRunning(state)) throw new AlreadySubscribed();
    // A subscription had a trial meanwhile, such as one that was paid in another tab and has ended.
    if (offersTrial(request) && state.trialUsed) return null;

    const session = await this.open(attempt, request, price);
    if (session?.status !== 'open') {
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

  private warnOfTrial(price: Stripe.Price): void {
    if (isTrialUnreadable(price))
      this.logger.warn(
        { event: 'stripe.trial_unreadable', price: price.id },
        'The metadata trial_days of a price is no number of days from 0 to 730; the setting counts in its place.',
      );
  }

  private async requestFor(customer: StripeCustomer, price: Stripe.Price) {
    const { stripeCustomerId, orgId } = customer;
    const isMetered = price.recurring?.usage_type === 'metered';
    const isPerSeat = price.recurring !== null && orgId !== null;
    const quantity = isPerSeat ? await this.customers.countSeats(orgId) : 1;
    return {
      mode: price.recurring === null ? 'payment' : 'subscription',
      customer: stripeCustomerId,
      line_items: [{ price: price.id, ...(!isMetered && { quantity }) }],
      success_url: this.links.billing(orgId, 'success'),
      cancel_url: this.links.billing(orgId, 'canceled'),
      ...checkoutTerms(price, customer, this.environment),
    } satisfies CheckoutRequest;
  }

  private begin({ id }: StripeCustomer, request: CheckoutRequest, locale: string): Promise<Attempt> {
    const supersede = async (sessionId: string) => {
      if (request.mode === 'subscription') await this.expire(sessionId);
    };
    return this.attempts.begin(id, request.mode, request, { locale, supersede });
  }

  /** Returns null when Stripe no longer knows the session that was open. */
  private async open(
    attempt: Attempt,
    request: CheckoutRequest,
    price: Stripe.Price,
  ): Promise<Stripe.Checkout.Session | null> {
    if (attempt.sessionId !== null)
      return this.stripe.checkout.sessions.retrieve(attempt.sessionId).catch(nullIfMissing);

    const session = await this.create(attempt, request, price);
    const isCurrent = await this.attempts.record(attempt, session.id);
    if (!isCurrent) await this.expire(session.id);
    return session;
  }

  /**
   * Stripe decides which currencies it combines, and says so in words alone. So a refusal is traced to the currency
   * afterwards, and nothing is refused that Stripe would take.
   */
  private async create(attempt: Attempt, request: CheckoutRequest, price: Stripe.Price) {
    // That of who asked first, whose answer may be lost. One of an earlier version has none.
    const asked =
      attempt.locale === null ? request : { ...request, locale: attempt.locale as CheckoutLocale };
    try {
      return await this.attempts.run(attempt, (idempotencyKey) =>
        this.stripe.checkout.sessions.create(asked, { idempotencyKey }),
      );
    } catch (error) {
      if (!isInvalidRequest(error) || request.mode === 'payment') throw error;
      const currency = await this.otherCurrencyOf(request.customer, price);
      if (currency === null) throw error;
      this.logger.warn(
        { event: 'stripe.currency_refused', price: price.id, currency, stripe_request: error.requestId },
        'Stripe refused a checkout: the customer pays in a currency that the price is not in.',
      );
      throw new CurrencyMismatch(currency);
    }
  }

  /** The currency in which a customer pays recurring prices. Returns null when a price is in it, or there is none yet. */
  private async otherCurrencyOf(customerId: string, price: Stripe.Price): Promise<string | null> {
    const customer = await this.stripe.customers.retrieve(customerId);
    if (customer.deleted || !customer.currency) return null;
    const isInIt = [price.currency, ...Object.keys(price.currency_options ?? {})].includes(customer.currency);
    return isInIt ? null : customer.currency;
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
