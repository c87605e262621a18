import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Environment } from '../config/environment.js';
import { variableName } from '../config/variable-name.js';
import { Metrics } from '../observability/metrics.js';

/** The limits whose owners are told when the last attempt is taken. */
const LIMITS_OF_ATTEMPTS = [
  'limitLoginPerAccount',
  'limitAttemptPerAccount',
  'limitCodePerAccount',
  'limitPasswordPerUser',
] as const;

/** Which limits are reached: by attackers, or by users for whom one is too low. */
@Injectable()
export class LimitMetrics {
  readonly refused: Counter<'limit'>;
  readonly usedUp: Counter<'limit'>;

  constructor(metrics: Metrics, environment: Environment) {
    this.refused = metrics.counter('requests_limited_total', 'Requests beyond a limit, by its setting.', [
      'limit',
    ]);
    this.usedUp = metrics.counter(
      'account_attempts_used_up_total',
      'How often the last attempt of a limit of an account was taken, by its setting.',
      ['limit'],
    );

    // From 0, for Prometheus sees no increase in a series that begins at 1.
    for (const setting of Object.keys(environment))
      if (/^limit[A-Z]/.test(setting)) this.refused.inc({ limit: variableName(setting) }, 0);
    for (const setting of LIMITS_OF_ATTEMPTS) this.usedUp.inc({ limit: variableName(setting) }, 0);
  }
}
