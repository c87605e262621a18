import { Injectable, Logger } from '@nestjs/common';
import type Stripe from 'stripe';
import { Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { THE_SERVICE } from '../http/caller.js';
import { InvalidSignature } from '../http/errors.js';
import { BillingCustomersRepository } from './billing-customers.repository.js';
import { InjectStripe, isLiveMode } from './stripe-client.js';
import { StripeEventsRepository } from './stripe-events.repository.js';
import { StripeSync } from './stripe-sync.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** How old a signature may be: a request that was recorded cannot be sent again later. */
const TOLERANCE_SECONDS = 300;

/** Characters of the header with the signatures: some 30 of them fit in, of which Stripe sends a few. */
const MAX_SIGNATURE_LENGTH = 2_048;

/** The signature is over every byte: a byte order mark stays, and what is not UTF-8 is refused. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Takes each signed event of Stripe's about a customer as a reason to read the subscription again. */
@Injectable()
export class WebhookService {
  private readonly logger = new Logger(WebhookService.name);

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly customers: BillingCustomersRepository,
    private readonly events: StripeEventsRepository,
    private readonly subscriptions: SubscriptionsService,
    private readonly stripeSync: StripeSync,
    private readonly transactions: Transactions,
    private readonly environment: Environment,
  ) {}

  /**
   * Stores the effect of an event, once. A failure is thrown, so that Stripe sends the event again; an event that is
   * about none of our customers is ignored. Throws InvalidSignature, BillingModeMismatch.
   */
  async receive(body: Buffer | undefined, signature = ''): Promise<void> {
    const event = this.eventIn(body ?? Buffer.alloc(0), signature);
    const stripeCustomerId = event && customerOf(event);
    const customer = stripeCustomerId && (await this.customers.findByStripeId(stripeCustomerId));
    if (!customer || (await this.events.has(event.id))) return;

    const reading = await this.subscriptions.read(customer);
    await this.transactions.run(THE_SERVICE, async (tx) => {
      const isFirst = await this.events.insert(event, tx);
      if (isFirst) await this.subscriptions.store(reading, tx);
    });
    this.stripeSync.soon({ id: customer.id });
  }

  /** The event in a body. Returns null when it is of the other mode, test or live. Throws InvalidSignature. */
  private eventIn(body: Buffer, signature: string): Stripe.Event | null {
    const event = this.verify(body, signature);
    return this.isOurMode(event) ? event : null;
  }

  private verify(body: Buffer, signature: string): Stripe.Event {
    if (signature.length > MAX_SIGNATURE_LENGTH) throw new InvalidSignature();
    for (const secret of this.environment.stripeWebhookSecret) {
      try {
        const text = strictUtf8.decode(body);
        return this.stripe.webhooks.constructEvent(text, signature, secret, TOLERANCE_SECONDS);
      } catch {
        // Signed with the other secret, or by a stranger.
      }
    }
    throw new InvalidSignature();
  }

  /** Test and live events have their own secrets; where they were mixed up, one must not be taken for the other. */
  private isOurMode({ id, livemode }: Stripe.Event): boolean {
    const isOurs = livemode === isLiveMode(this.environment);
    if (!isOurs)
      this.logger.warn(
        { event: 'stripe.event_of_other_mode', stripe_event: id, livemode },
        'Stripe sent an event of the other mode, test or live; the service ignored it.',
      );
    return isOurs;
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
