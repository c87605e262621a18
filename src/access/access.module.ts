import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { AccessController } from './access.controller.js';
import { AccessService } from './access.service.js';

/** What users may do, by the permissions that a product declares. */
@Module({
  imports: [BillingModule],
  controllers: [AccessController],
  providers: [AccessService],
  exports: [AccessService],
})
export class AccessModule {}
