import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import { Environment } from '../config/environment.js';
import { JobMetrics } from '../queues/job-metrics.js';
import { CronService } from './cron.service.js';
import { cronView } from './cron.view.js';

const JOB = 'cron';

/**
 * Does what `/cron` does at the times of `SVC_CRON_SCHEDULE`, for deployments that have no scheduler to call `/cron`.
 */
@Injectable()
export class CronSchedule implements OnApplicationBootstrap {
  private readonly logger = new Logger(CronSchedule.name);

  constructor(
    private readonly environment: Environment,
    private readonly scheduler: SchedulerRegistry,
    private readonly cron: CronService,
    private readonly metrics: JobMetrics,
  ) {}

  onApplicationBootstrap(): void {
    const { cronSchedule: cronTime } = this.environment;
    if (cronTime === undefined) return;
    this.metrics.watch(JOB);
    const job = CronJob.from({ cronTime, timeZone: 'UTC', onTick: () => this.run(), start: true });
    this.scheduler.addCronJob(JOB, job);
  }

  /** A run that fails is only logged and counted, because the next one does its work. */
  private async run(): Promise<void> {
    try {
      const run = await this.cron.run();
      this.logger.log({ event: 'cron.completed', ...cronView(run) }, 'A scheduled run completed.');
    } catch (error) {
      this.logger.error({ event: 'cron.failed', err: error }, 'A scheduled run failed.');
      this.metrics.countFailure(JOB);
    }
  }
}
