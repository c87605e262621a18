import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../observability/metrics.js';
import type { AuthMethod } from '../sessions/session.entity.js';
import { SessionMetrics } from '../sessions/session-metrics.js';

/** Logins by how they ended: `success`, or what the client was answered instead. */
@Injectable()
export class LoginMetrics {
  private readonly logins: Counter<'method' | 'outcome'>;

  constructor(
    metrics: Metrics,
    private readonly sessions: SessionMetrics,
  ) {
    this.logins = metrics.counter(
      'logins_total',
      'Logins, by method and outcome: success, the code of a problem, or the reason given to the login page.',
      ['method', 'outcome'],
    );
  }

  /** Counts a login whose session is committed. */
  countSuccess(method: AuthMethod): void {
    this.logins.inc({ method, outcome: 'success' });
    this.sessions.started.inc({ method });
  }

  countFailure(method: AuthMethod, outcome: string): void {
    this.logins.inc({ method, outcome });
  }
}
