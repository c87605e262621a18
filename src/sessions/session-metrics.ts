import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { AUTH_METHODS } from '../http/caller.js';
import { Metrics } from '../observability/metrics.js';

/** Sessions as they begin, and requests that wanted one. */
@Injectable()
export class SessionMetrics {
  readonly started: Counter<'method'>;
  readonly refused: Counter<'cookie'>;

  constructor(metrics: Metrics) {
    this.started = metrics.counter('sessions_started_total', 'Sessions started, by how the user logged in.', [
      'method',
    ]);
    this.refused = metrics.counter(
      'sessions_refused_total',
      'Requests refused for want of an active session, by whether they came with a cookie.',
      ['cookie'],
    );

    // From 0, for Prometheus sees no increase in a series that begins at 1.
    for (const method of AUTH_METHODS) this.started.inc({ method }, 0);
    for (const cookie of ['stale', 'none']) this.refused.inc({ cookie }, 0);
  }
}
