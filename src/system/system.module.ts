import { Module } from '@nestjs/common';
import { BillingModule } from '../billing/billing.module.js';
import { UsersModule } from '../users/users.module.js';
import { ConnectionController } from './connection.controller.js';
import { SystemController } from './system.controller.js';
import { SystemService } from './system.service.js';

/** What the people who run the service see of it as a whole. */
@Module({
  imports: [BillingModule, UsersModule],
  controllers: [SystemController, ConnectionController],
  providers: [SystemService],
})
export class SystemModule {}
