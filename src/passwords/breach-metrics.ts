import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics.js';

/** Chosen passwords that were looked up in lists of stolen ones, by what came of it. */
@Injectable()
export class BreachMetrics {
  readonly checks: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.checks = metrics.counter(
      'breach_checks_total',
      'New passwords looked up in lists of stolen ones, by outcome: clean, breached or unavailable.',
      ['outcome'],
    );
  }
}
