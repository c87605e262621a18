import { Injectable } from '@nestjs/common';
import { Health } from './health.js';
import { oneAtATime } from './limited-reading.js';
import { Metrics } from './metrics.js';

/**
 * What `/health/ready` answers, and what an operator must look after while requests are served: a stranger, whom that
 * path answers too, need not know.
 */
@Injectable()
export class HealthMetrics {
  constructor(health: Health, metrics: Metrics) {
    // Both gauges are read at the same moment, and share the checks.
    const down = oneAtATime(() => health.down());

    metrics.replicaGauge('ready', 'Whether requests can be served.', [], async (gauge) =>
      gauge.set((await down()).length === 0 ? 1 : 0),
    );
    metrics.replicaGauge(
      'down',
      'Whether it keeps requests from being served, by cause.',
      ['cause'],
      async (gauge) => {
        const failing = await down();
        for (const cause of health.causes) gauge.set({ cause }, failing.includes(cause) ? 1 : 0);
      },
    );
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
