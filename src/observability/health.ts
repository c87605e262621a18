import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { within } from '../database/time-limit.js';
import { oneAtATime } from './one-at-a-time.js';

/** Whoever asks, a load balancer or a container engine, waits only a few seconds. */
const CHECK_LIMIT_MS = 2_000;

/** Something that should hold, and its name for where it does not. */
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
  private readonly database: Check;

  /** Whether this process is about to stop, so that requests belong elsewhere. */
  isLeaving = false;

  constructor(database: DataSource) {
    this.database = check('database', async () => Boolean(await database.query('SELECT 1')));
  }

  /** Adds what no request can be served without. */
  require(name: string, holds: Check['holds']): void {
    this.required.push(check(name, holds));
  }

  /**
   * Adds what somebody must look after while requests are served. It fails on every replica at once: if it were
   * required, the load balancer would have no replica left, and nobody could log in.
   */
  expect(name: string, holds: Check['holds']): void {
    this.expected.push(check(name, holds));
  }

  /** Without the database nothing else can be told. */
  async condition(): Promise<Condition> {
    if (this.isLeaving) return { down: ['stopping'], degraded: [] };
    if (!(await this.holds(this.database))) return { down: ['database'], degraded: [] };

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

/** However often it is asked, a check puts one question to the database at a time: the path is open to everybody. */
function check(name: string, holds: Check['holds']): Check {
  return { name, holds: oneAtATime(holds) };
}
