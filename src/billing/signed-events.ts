import { Injectable, Logger } from '@nestjs/common';
import type Stripe from 'stripe';
import { Environment } from '../config/environment.js';
import { InvalidSignature } from '../http/errors.js';
import { InjectStripe } from './stripe-client.js';

/** How old a signature may be: a request that was recorded cannot be sent again later. */
const TOLERANCE_SECONDS = 300;

/** The signature is over every byte: a byte order mark stays, and what is not UTF-8 is refused. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The events that come to the webhook with Stripe's signature. */
@Injectable()
export class SignedEvents {
  private readonly logger = new Logger(SignedEvents.name);

  constructor(
    @InjectStripe() private readonly stripe: Stripe,
    private readonly environment: Environment,
  ) {}

  /** Reads an event. Returns null when it is of the other mode, test or live. Throws InvalidSignature. */
  read(body: Buffer, signature: string): Stripe.Event | null {
    const event = this.verify(body, signature);
    return this.isOurMode(event) ? event : null;
  }

  private verify(body: Buffer, signature: string): Stripe.Event {
    for (const secret of this.environment.stripeWebhookSecret) {
      try {
        const text = strictUtf8.decode(body);
        return this.stripe.webhooks.constructEvent(text, signature, secret, TOLERANCE_SECONDS);
      } catch {
        // Signed with the other secret, or by somebody else.
      }
    }
    throw new InvalidSignature();
  }

  /** Test and live events have their own secrets; where they were mixed up, one must not be taken for the other. */
  private isOurMode({ id, livemode }: Stripe.Event): boolean {
    const isLive = /^.._live_/.test(this.environment.stripeSecretKey ?? '');
    if (livemode !== isLive)
      this.logger.warn({ event: id, livemode }, 'an event of the other mode was let go');
    return livemode === isLive;
  }
}
