import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { ExpiredRowsRepository } from '../database/expired-rows.repository.js';
import { CronController } from './cron.controller.js';
import { CronService } from './cron.service.js';
import { CronHealth } from './cron-health.js';
import { CronMetrics } from './cron-metrics.js';
import { CronSchedule } from './cron-schedule.js';
import { CronTasks } from './cron-tasks.js';
import { PruneService } from './prune.service.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

@Global()
@Module({
  imports: [ScheduleModule.forRoot()],
  controllers: [CronController],
  providers: [
    CronTasks,
    CronService,
    PruneService,
    CronSchedule,
    ScheduledJobsRepository,
    ExpiredRowsRepository,
    CronMetrics,
    CronHealth,
  ],
  exports: [CronTasks, CronService, PruneService, ScheduledJobsRepository],
})
export class CronModule {}
