import { Injectable } from '@nestjs/common';
import type Stripe from 'stripe';
import { Transactions } from '../audit/transactions.js';
import { THE_SERVICE } from '../http/caller.js';
import { AlignmentService } from './alignment.service.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';
import { SignedEvents } from './signed-events.js';
import { StripeEventsRepository } from './stripe-events.repository.js';
import { SubscriptionReader } from './subscription-reader.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** Takes whatever Stripe reports of a customer as a reason to read the subscription again. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly signedEvents: SignedEvents,
    private readonly customers: BillingCustomersRepository,
    private readonly events: StripeEventsRepository,
    private readonly reader: SubscriptionReader,
    private readonly subscriptions: SubscriptionsService,
    private readonly alignment: AlignmentService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Stores the effect of an event, once. A failure is thrown, so that Stripe sends the event again; an event that is
   * about none of our customers is ignored. Throws InvalidSignature.
   */
  async receive(body: Buffer | undefined, signature = ''): Promise<void> {
    const event = this.signedEvents.read(body ?? Buffer.alloc(0), signature);
    const stripeCustomerId = event && customerOf(event);
    const customer = stripeCustomerId && (await this.customers.findByStripeId(stripeCustomerId));
    if (!customer || (await this.events.has(event.id))) return;

    const reading = await this.reader.read(customer);
    await this.transactions.run(THE_SERVICE, async (tx) => {
      const isFirst = await this.events.insert(event, tx);
      if (isFirst) await this.subscriptions.store(reading, tx);
    });
    this.alignment.follow({ id: customer.id });
  }
}

/** The customer an event is about; null when it is of a kind that changes no subscription. */
function customerOf({ type, data }: Stripe.Event): string | null {
  switch (type) {
    case 'customer.updated':
    case 'customer.deleted':
      return data.object.id;
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'invoice.paid':
    case 'invoice.payment_failed':
      return idOf(data.object.customer);
    default:
      return null;
  }
}

function idOf(customer: string | { id: string } | null): string | null {
  return typeof customer === 'string' ? customer : (customer?.id ?? null);
}
