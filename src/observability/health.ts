import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { limitedReading } from './limited-reading.js';

/** A condition that should hold, and the name under which the answer lists it where it does not. */
interface Check {
  name: string;
  holds: () => Promise<boolean>;
}

const STOPPING = 'stopping';

/** Whether this process can serve. A feature adds its own checks, in a `*-health.ts` in its folder. */
@Injectable()
export class Health {
  private readonly logger = new Logger(Health.name);
  private readonly required: Check[] = [];
  private readonly expected: Check[] = [];
  private readonly database: Check;

  /** Whether this process is about to stop, so that a load balancer should send requests elsewhere. */
  isStopping = false;

  constructor(database: DataSource) {
    this.database = check('database', async () => Boolean(await database.query('SELECT 1')));
  }

  /** Adds a check without which no request can be served. */
  require(name: string, holds: Check['holds']): void {
    this.required.push(check(name, holds));
  }

  /**
   * Adds a check that an operator must look after while requests are served. It fails on every replica at once: if it
   * were required, the load balancer would have no replica left, and no user could log in.
   */
  expect(name: string, holds: Check['holds']): void {
    this.expected.push(check(name, holds));
  }

  /** All that may keep this process from serving. */
  get causes(): string[] {
    return [STOPPING, this.database.name, ...this.required.map(({ name }) => name)];
  }

  /** What keeps this process from serving. Without the database none of the other checks can be made. */
  async down(): Promise<string[]> {
    if (this.isStopping) return [STOPPING];
    if (!(await this.holds(this.database))) return [this.database.name];
    const results = await Promise.all(this.required.map((check) => this.holds(check)));
    return this.required.filter((_, index) => !results[index]).map(({ name }) => name);
  }

  /** Each check that an operator looks after, and whether it fails. Rejects when the database is down. */
  async degraded(): Promise<{ cause: string; isFailing: boolean }[]> {
    const [isDatabaseUp, ...results] = await Promise.all(
      [this.database, ...this.expected].map((check) => this.holds(check)),
    );
    if (!isDatabaseUp) throw new Error('the database does not answer');
    return this.expected.map(({ name }, index) => ({ cause: name, isFailing: !results[index] }));
  }

  private async holds({ name, holds }: Check): Promise<boolean> {
    try {
      return await holds();
    } catch (error) {
      this.logger.warn({ event: 'health.check_failed', check: name, err: error }, 'A health check failed.');
      return false;
    }
  }
}

/** A check asks the database one question at a time, however many requests ask for it: the path is public. */
function check(name: string, holds: Check['holds']): Check {
  return { name, holds: limitedReading(holds) };
}
