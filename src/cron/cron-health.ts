import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Health } from '../observability/health.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

/** Expects the prune to have succeeded lately, where something is set up to start it. */
@Injectable()
export class CronHealth {
  constructor(environment: Environment, jobs: ScheduledJobsRepository, health: Health) {
    const { cronSecret, cronSchedule, cronLateAfterHours } = environment;
    if (cronSecret === undefined && cronSchedule === undefined) return;
    health.expect('cron', async () => !(await jobs.isLate('prune', cronLateAfterHours)));
  }
}
