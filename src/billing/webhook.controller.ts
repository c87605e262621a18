import { Body, Controller, Headers, Post, UseInterceptors } from '@nestjs/common';
import {
  BillingModeMismatch,
  InvalidSignature,
  PaymentProviderError,
  PaymentProviderRefusal,
} from '../http/errors.js';
import { Answers, Operation, Problems, Public } from '../http/route.js';
import { RouteSettings } from '../http/route-config.js';
import { flag } from '../validation/schema.js';
import { isBillingOn } from './stripe-client.js';
import { StripeErrorsInterceptor } from './stripe-errors.js';
import { WebhookService } from './webhook.service.js';

/** An invoice repeats the metadata of its subscription in up to ten lines, and any of them may be 25 KB. */
const EVENT_LIMIT = 256 * 1024;

@Controller('subscription/webhook')
@Public()
@UseInterceptors(StripeErrorsInterceptor)
export class WebhookController {
  constructor(private readonly webhooks: WebhookService) {}

  /** Takes the body as it came: the signature is over its bytes. */
  @Post()
  @RouteSettings({ isOpen: isBillingOn, takesBytes: true, bodyLimit: EVENT_LIMIT })
  @Operation('stripeWebhook', 'Takes what Stripe reports of customers, signed in `Stripe-Signature`.')
  @Answers(200, { received: flag })
  @Problems([InvalidSignature, BillingModeMismatch, PaymentProviderRefusal, PaymentProviderError])
  async receive(@Body() body: Buffer | undefined, @Headers('stripe-signature') signature?: string) {
    await this.webhooks.receive(body, signature);
    return { received: true };
  }
}
