import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics.js';

/** How busy password hashing is: the first thing to run short under many logins. */
@Injectable()
export class HashingMetrics {
  readonly refused: Counter;

  constructor(private readonly metrics: Metrics) {
    this.refused = metrics.counter('password_hashes_refused_total', 'Hashes refused, the queue being full.');
  }

  /** Watches the one queue of the process. */
  watch(queue: { activeCount: number; pendingCount: number }): void {
    this.metrics.gauge('password_hashes_active', 'Hashes that a core works at.', (gauge) =>
      gauge.set(queue.activeCount),
    );
    this.metrics.gauge('password_hashes_waiting', 'Hashes that wait for a core.', (gauge) =>
      gauge.set(queue.pendingCount),
    );
  }
}
