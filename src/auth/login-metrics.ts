import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { problemOf } from '../http/problem-of.js';
import { Metrics } from '../observability/metrics.js';
import type { AuthMethod } from '../sessions/session.entity.js';

/** Logins by how they ended: `success`, or what the client was told instead. */
@Injectable()
export class LoginMetrics {
  private readonly logins: Counter<'method' | 'outcome'>;

  constructor(metrics: Metrics) {
    this.logins = metrics.counter(
      'logins_total',
      'Logins, by method and outcome: success, the code of a problem, or the reason given to the login page.',
      ['method', 'outcome'],
    );
  }

  count(method: AuthMethod, outcome: string): void {
    this.logins.inc({ method, outcome });
  }

  /** Counts a login by what becomes of it. */
  async watch<T>(method: AuthMethod, login: Promise<T>): Promise<T> {
    try {
      const success = await login;
      this.count(method, 'success');
      return success;
    } catch (error) {
      this.count(method, problemOf(error).code);
      throw error;
    }
  }
}
