import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { BillingModule } from '../billing/billing.module.js';
import { CronController } from './cron.controller.js';
import { CronService } from './cron.service.js';
import { CronSchedule } from './cron-schedule.js';
import { PruneService } from './prune.service.js';

@Module({
  imports: [ScheduleModule.forRoot(), BillingModule],
  controllers: [CronController],
  providers: [CronService, PruneService, CronSchedule],
  exports: [PruneService],
})
export class CronModule {}
