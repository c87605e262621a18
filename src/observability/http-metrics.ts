import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Metrics } from './metrics.js';
import type { RequestEnd } from './request-end.js';

/** From the time of a session check to the longest that a client waits. */
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests by route and how they ended, and how long they took. */
@Injectable()
export class HttpMetrics {
  private readonly requests: Counter<'method' | 'route' | 'status'>;
  private readonly durations: Histogram<'method' | 'route'>;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter(
      'http_requests_total',
      'Requests, by the pattern of their route ("unknown" for all other paths) and their status ("aborted" when the client hung up).',
      ['method', 'route', 'status'],
    );
    this.durations = metrics.histogram(
      'http_request_duration_seconds',
      'Time from the head of a request to the end of its answer.',
      ['method', 'route'],
      BUCKETS_SECONDS,
    );
  }

  count({ method, route, status, seconds }: RequestEnd): void {
    const labels = { method, route: route ?? 'unknown' };
    this.requests.inc({ ...labels, status: status ?? 'aborted' });
    this.durations.observe(labels, seconds);
  }
}
