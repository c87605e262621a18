import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Environment } from '../config/environment.js';
import { Metrics } from '../observability/metrics.js';

/** Tokens that back ends on other hosts were given. */
@Injectable()
export class TokenMetrics {
  readonly issued: Counter<'audience'>;

  constructor(metrics: Metrics, { tokenAudiences }: Environment) {
    this.issued = metrics.counter('tokens_issued_total', 'Tokens signed for back ends, by audience.', [
      'audience',
    ]);

    // From 0, for Prometheus sees no increase in a series that begins at 1.
    for (const audience of tokenAudiences) this.issued.inc({ audience }, 0);
  }
}
