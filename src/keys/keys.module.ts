import { Module } from '@nestjs/common';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { KeyActivity } from './key-activity.js';
import { KeyMetrics } from './key-metrics.js';
import { KeysService } from './keys.service.js';

/** What programs call the service and a product with. */
@Module({
  imports: [SessionsModule, LimitsModule],
  providers: [KeyActivity, KeyMetrics, KeysService],
  exports: [KeysService],
})
export class KeysModule {}
