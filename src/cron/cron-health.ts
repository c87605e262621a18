import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Health } from '../observability/health.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

/**
 * Expects the prune to have succeeded lately. Only `dev` may have no scheduler; elsewhere an operator may run the
 * command from one of their own.
 */
@Injectable()
export class CronHealth {
  constructor(environment: Environment, jobs: ScheduledJobsRepository, health: Health) {
    const { cronSecret, cronSchedule, cronLateAfterHours } = environment;
    const isScheduled = cronSecret !== undefined || cronSchedule !== undefined;
    if (environment.environment === 'dev' && !isScheduled) return;
    health.expect('cron', async () => !(await jobs.isLate('prune', cronLateAfterHours)));
  }
}
