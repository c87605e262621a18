import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { CronController } from './cron.controller.js';
import { CronSchedule } from './cron-schedule.js';
import { PruneService } from './prune.service.js';

@Module({
  imports: [ScheduleModule.forRoot()],
  controllers: [CronController],
  providers: [PruneService, CronSchedule],
  exports: [PruneService],
})
export class CronModule {}
