import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

/** The rows that the prune deleted in this process, and when it last succeeded in any. */
@Injectable()
export class CronMetrics {
  readonly pruned: Counter<'table'>;

  constructor(metrics: Metrics, jobs: ScheduledJobsRepository) {
    this.pruned = metrics.counter('pruned_rows_total', 'Rows deleted after they expired, by table.', [
      'table',
    ]);
    metrics.sharedGauge(
      'prune_last_success_timestamp_seconds',
      'When the last prune succeeded, whichever replica ran it.',
      [],
      async (gauge) => {
        const succeededAt = await jobs.lastSuccess('prune');
        if (succeededAt !== null) gauge.set(succeededAt.getTime() / 1000);
      },
    );
  }
}
