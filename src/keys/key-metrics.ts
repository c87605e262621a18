import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics.js';

const OUTCOMES = ['admitted', 'ended', 'expired', 'address', 'permission', 'quota'];

/** Requests that presented a key. */
@Injectable()
export class KeyMetrics {
  readonly checks: Counter<'owner' | 'outcome'>;

  constructor(metrics: Metrics) {
    this.checks = metrics.counter(
      'key_checks_total',
      'Keys that requests presented, by whose they are and what became of them; one that lacks a permission or quota was admitted first.',
      ['owner', 'outcome'],
    );
    this.checks.inc({ owner: 'none', outcome: 'unknown' }, 0);
    for (const owner of ['org', 'operator'])
      for (const outcome of OUTCOMES) this.checks.inc({ owner, outcome }, 0);
  }
}
