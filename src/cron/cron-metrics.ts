import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics.js';
import { ScheduledJobsRepository } from './scheduled-jobs.repository.js';

/** What the prune deleted in this process, and when it last succeeded in any. */
@Injectable()
export class CronMetrics {
  readonly pruned: Counter<'table'>;

  constructor(metrics: Metrics, jobs: ScheduledJobsRepository) {
    this.pruned = metrics.counter('pruned_rows_total', 'Rows deleted after they expired, by table.', [
      'table',
    ]);
    const succeeded = metrics.sharedGauge(
      'prune_last_success_timestamp_seconds',
      'When the last prune succeeded, whichever replica ran it.',
    );

    metrics.readAtScrape([succeeded], async () => {
      const succeededAt = await jobs.lastSuccess('prune');
      if (succeededAt !== null) succeeded.set(succeededAt.getTime() / 1000);
    });
  }
}
