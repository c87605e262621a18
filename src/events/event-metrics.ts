import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Environment } from '../config/environment.js';
import { oneAtATime } from '../observability/limited-reading.js';
import { Metrics } from '../observability/metrics.js';
import { QUEUE_STATES } from '../queues/queue-ledger.repository.js';
import { DeliveryLedgerRepository } from './delivery-ledger.repository.js';

const OUTCOMES = ['sent', 'unavailable', 'refused', 'failed'] as const;
export type AttemptOutcome = (typeof OUTCOMES)[number];

/** The deliveries by endpoint. The age of the oldest waiting delivery says how far behind a back end is. */
@Injectable()
export class EventMetrics {
  private readonly attempts: Counter<'endpoint' | 'outcome'>;

  constructor(metrics: Metrics, ledger: DeliveryLedgerRepository, { webhooks }: Environment) {
    const endpoints = webhooks.map(({ name }) => name);
    // Both gauges are read at the same moment, and share the one statement; without endpoints there is none.
    const countByState = oneAtATime(async () => (endpoints.length === 0 ? [] : ledger.countByState()));

    this.attempts = metrics.counter(
      'webhook_attempts_total',
      'Attempts to deliver an event, by endpoint and outcome.',
      ['endpoint', 'outcome'],
    );
    // They count from 0, for Prometheus sees no increase in a series that begins at 1.
    for (const endpoint of endpoints)
      for (const outcome of OUTCOMES) this.attempts.inc({ endpoint, outcome }, 0);

    metrics.sharedGauge(
      'webhook_deliveries',
      'Deliveries of events, by endpoint and state.',
      ['endpoint', 'state'],
      async (gauge) => {
        const found = await countByState();
        for (const endpoint of endpoints) for (const state of QUEUE_STATES) gauge.set({ endpoint, state }, 0);
        for (const { endpoint, state, count } of found) gauge.set({ endpoint: endpoint ?? '', state }, count);
      },
    );
    metrics.sharedGauge(
      'webhook_oldest_delivery_age_seconds',
      'Seconds since the oldest delivery that waits was written, by endpoint.',
      ['endpoint'],
      async (gauge) => {
        for (const { endpoint, state, oldestSeconds } of await countByState())
          if (state === 'waiting') gauge.set({ endpoint: endpoint ?? '' }, oldestSeconds);
      },
    );
  }

  count(endpoint: string, outcome: AttemptOutcome): void {
    this.attempts.inc({ endpoint, outcome });
  }
}
