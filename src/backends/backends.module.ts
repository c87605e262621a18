import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { BillingModule } from '../billing/billing.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SessionTokens } from './session-tokens.js';
import { SigningKeys } from './signing-keys.js';
import { TokenMetrics } from './token-metrics.js';
import { TokensController } from './tokens.controller.js';
import { VerifyController } from './verify.controller.js';

/** What a product's own back ends ask the service. */
@Module({
  imports: [AccessModule, BillingModule, SessionsModule],
  controllers: [VerifyController, TokensController],
  providers: [SigningKeys, SessionTokens, TokenMetrics],
})
export class BackendsModule {}
