import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics.js';

/** How often the work that no request waits for fails. */
@Injectable()
export class JobMetrics {
  private readonly failed: Counter<'job'>;

  constructor(metrics: Metrics) {
    this.failed = metrics.counter('jobs_failed_total', 'Runs of a background job that failed, by job.', [
      'job',
    ]);
  }

  /** Counts from 0, for Prometheus sees no increase in a series that begins at 1. */
  watch(job: string): void {
    this.failed.inc({ job }, 0);
  }

  countFailure(job: string): void {
    this.failed.inc({ job });
  }
}
