import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { SESSION_METHODS } from '../http/caller.js';
import { Metrics } from '../observability/metrics.js';

/** Sessions as they begin, and requests that wanted one. */
@Injectable()
export class SessionMetrics {
  readonly started: Counter<'method'>;
  readonly refused: Counter<'cookie'>;
  /** By why a request did not get into an organization. */
  readonly orgRefused: Counter<'reason'>;

  constructor(metrics: Metrics) {
    this.started = metrics.counter('sessions_started_total', 'Sessions started, by how the user logged in.', [
      'method',
    ]);
    this.refused = metrics.counter(
      'sessions_refused_total',
      'Requests refused for want of an active session, by whether they came with a cookie.',
      ['cookie'],
    );
    this.orgRefused = metrics.counter(
      'org_requests_refused_total',
      'Requests refused for their organization: a user of several named none, is no member or a suspended one, or lacks what it asks for.',
      ['reason'],
    );

    // From 0, for Prometheus sees no increase in a series that begins at 1.
    for (const method of SESSION_METHODS) this.started.inc({ method }, 0);
    for (const cookie of ['stale', 'none']) this.refused.inc({ cookie }, 0);
    for (const reason of ['none_named', 'no_member', 'suspended', 'unmet'])
      this.orgRefused.inc({ reason }, 0);
  }
}
