import { Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ExpiredRowsRepository } from '../database/expired-rows.repository.js';
import { CronController } from './cron.controller.js';
import { CronService } from './cron.service.js';
import { CronHealth } from './cron-health.js';
import { CronMetrics } from './cron-metrics.js';
import { CronSchedule } from './cron-schedule.js';
import { CronTasks } from './cron-tasks.js';
import { ScheduledJob } from './scheduled-job.entity.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ScheduledJob]), ScheduleModule.forRoot()],
  controllers: [CronController],
  providers: [
    CronTasks,
    CronService,
    CronSchedule,
    ScheduledJobsRepository,
    ExpiredRowsRepository,
    CronMetrics,
    CronHealth,
  ],
  exports: [CronTasks, CronService, ScheduledJobsRepository],
})
export class CronModule {}
