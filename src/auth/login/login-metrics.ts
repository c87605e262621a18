import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { AuthMethod } from '../../http/caller.js';
import { Metrics } from '../../observability/metrics.js';
import { SessionMetrics } from '../../sessions/session-metrics.js';
import type { StartedSession } from '../../sessions/sessions.service.js';
import type { Admission } from './admission.service.js';

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
      'Logins, by method and outcome: success, second_step when the account takes one, the code of a problem, or the reason given to the login page. The method second_step counts how the second steps end.',
      ['method', 'outcome'],
    );
  }

  /** Counts a login that is committed: its session, or its pending login. */
  countAdmission(method: AuthMethod, admission: Admission): void {
    if (admission.kind === 'session') this.countSession(method, admission);
    else this.logins.inc({ method, outcome: 'second_step' });
  }

  /** Counts a session that is committed. */
  countSession(method: AuthMethod | 'second_step', { session }: StartedSession): void {
    this.logins.inc({ method, outcome: 'success' });
    this.sessions.started.inc({ method: session.authMethod });
  }

  countFailure(method: AuthMethod | 'second_step', outcome: string): void {
    this.logins.inc({ method, outcome });
  }
}
