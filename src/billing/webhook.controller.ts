import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Public } from '../sessions/session.guard.js';
import { isBillingOn } from './stripe-client.js';
import { WebhookService } from './webhook.service.js';

@Controller('subscription/webhook')
@Public()
export class WebhookController {
  constructor(private readonly webhooks: WebhookService) {}

  /** Takes the body as it came: the signature is over its bytes. */
  @Post()
  @HttpCode(200)
  @RouteConfig({ isOpen: isBillingOn, takesBytes: true })
  async receive(@Body() body: Buffer | undefined, @Headers('stripe-signature') signature?: string) {
    await this.webhooks.receive(body, signature);
    return { received: true };
  }
}
