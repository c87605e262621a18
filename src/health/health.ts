import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { within } from '../within.js';

/** Whoever asks, a load balancer or a container engine, waits for few seconds. */
const CHECK_LIMIT_MS = 2_000;

/** Something that should hold, and what it is called where it does not. */
interface Check {
  name: string;
  holds: () => Promise<boolean>;
}

/** What does not hold. */
export interface Condition {
  down: string[];
  degraded: string[];
}

/** Whether this process can serve. A feature adds its own checks, in a `*-health.ts` beside what they are about. */
@Injectable()
export class Health {
  private readonly logger = new Logger(Health.name);
  private readonly required: Check[] = [];
  private readonly expected: Check[] = [];

  constructor(private readonly database: DataSource) {}

  /** Adds what no request can be served without. */
  require(name: string, holds: Check['holds']): void {
    this.required.push({ name, holds });
  }

  /**
   * Adds what somebody must look after while requests are served. It is out of order on every replica alike, so
   * that, were it required, it would take all of them out of the load balancer, and the logins with them.
   */
  expect(name: string, holds: Check['holds']): void {
    this.expected.push({ name, holds });
  }

  /** Without the database nothing else can be told. */
  async condition(): Promise<Condition> {
    const database = { name: 'database', holds: async () => Boolean(await this.database.query('SELECT 1')) };
    if (!(await this.holds(database))) return { down: ['database'], degraded: [] };

    const [down, degraded] = await Promise.all([this.failing(this.required), this.failing(this.expected)]);
    return { down, degraded };
  }

  private async failing(checks: Check[]): Promise<string[]> {
    const results = await Promise.all(checks.map((check) => this.holds(check)));
    return checks.filter((_, index) => !results[index]).map(({ name }) => name);
  }

  private async holds({ name, holds }: Check): Promise<boolean> {
    try {
      return await within(CHECK_LIMIT_MS, holds());
    } catch (error) {
      this.logger.warn(error, `${name} could not be checked`);
      return false;
    }
  }
}
