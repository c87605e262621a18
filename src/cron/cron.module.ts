import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { BillingModule } from '../billing/billing.module.js';
import { ExpiredRowsRepository } from '../database/expired-rows.repository.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { CronController } from './cron.controller.js';
import { CronService } from './cron.service.js';
import { CronHealth } from './cron-health.js';
import { CronMetrics } from './cron-metrics.js';
import { CronSchedule } from './cron-schedule.js';
import { PruneService } from './prune.service.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

@Module({
  imports: [ScheduleModule.forRoot(), BillingModule, LimitsModule],
  controllers: [CronController],
  providers: [
    CronService,
    PruneService,
    CronSchedule,
    ScheduledJobsRepository,
    ExpiredRowsRepository,
    CronMetrics,
    CronHealth,
  ],
  exports: [PruneService],
})
export class CronModule {}
