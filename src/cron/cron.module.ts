import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { CronController } from './cron.controller.js';
import { CronHealth } from './cron-health.js';
import { CronMetrics } from './cron-metrics.js';
import { CronSchedule } from './cron-schedule.js';
import { PruneService } from './prune.service.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

@Module({
  imports: [ScheduleModule.forRoot()],
  controllers: [CronController],
  providers: [PruneService, CronSchedule, ScheduledJobsRepository, CronMetrics, CronHealth],
  exports: [PruneService],
})
export class CronModule {}
