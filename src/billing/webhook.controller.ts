import { Body, Controller, Headers, Post, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { InvalidSignature, PaymentProviderError } from '../http/errors.js';
import { Answers, Operation, Problems, Public } from '../http/route.js';
import { flag } from '../validation/schema.js';
import { isBillingOn } from './stripe-client.js';
import { StripeErrorsInterceptor } from './stripe-errors.js';
import { WebhookService } from './webhook.service.js';

@Controller('subscription/webhook')
@Public()
@UseInterceptors(StripeErrorsInterceptor)
export class WebhookController {
  constructor(private readonly webhooks: WebhookService) {}

  /** Takes the body as it came: the signature is over its bytes. */
  @Post()
  @RouteConfig({ isOpen: isBillingOn, takesBytes: true })
  @Operation('stripeWebhook', 'Takes what Stripe reports of customers, signed in `Stripe-Signature`.')
  @Answers(200, { received: flag })
  @Problems([InvalidSignature, PaymentProviderError])
  async receive(@Body() body: Buffer | undefined, @Headers('stripe-signature') signature?: string) {
    await this.webhooks.receive(body, signature);
    return { received: true };
  }
}
