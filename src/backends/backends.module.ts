import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { VerifyController } from './verify.controller.js';

/** What a product's own back ends ask the service. */
@Module({
  imports: [BillingModule],
  controllers: [VerifyController],
})
export class BackendsModule {}
