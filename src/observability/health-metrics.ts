import { Injectable } from '@nestjs/common';
import { Health } from './health.js';
import { Metrics } from './metrics.js';

/** What an operator must look after while requests are served: a stranger, whom `/health/ready` answers too, need not know. */
@Injectable()
export class HealthMetrics {
  constructor(health: Health, metrics: Metrics) {
    metrics.sharedGauge(
      'degraded',
      'Whether something needs an operator though requests are served, by cause.',
      ['cause'],
      async (gauge) => {
        for (const { cause, isFailing } of await health.degraded()) gauge.set({ cause }, isFailing ? 1 : 0);
      },
    );
  }
}
