import pg from 'pg';
import type { Answer } from './browser.js';
import type { TestDatabase } from './test-database.js';
import { until } from './until.js';

/** What holds requests up: a statement whose locks last until so many of them wait, and how it ends. */
interface Barrier {
  sql: string;
  parameters: unknown[];
  waiting: number;
  end?: 'COMMIT' | 'ROLLBACK';
}

/** The locks of a statement, held by a connection of the test's own until they are released. */
export class Held {
  private constructor(
    private readonly holder: pg.Client,
    private readonly database: TestDatabase,
  ) {}

  static async by(database: TestDatabase, sql: string, parameters: unknown[]): Promise<Held> {
    const holder = new pg.Client({ connectionString: database.ownerUrl });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(sql, parameters);
    return new Held(holder, database);
  }

  /** Resolves once so many requests wait for a lock, whether one of these or one another's. */
  async untilWaiting(requests: number): Promise<void> {
    await until(async () => (await this.database.value(WAITING)) >= requests);
  }

  /** Goes on to further rows, while it holds the first. */
  async run(sql: string): Promise<void> {
    await this.holder.query(sql);
  }

  async release(end: 'COMMIT' | 'ROLLBACK' = 'COMMIT'): Promise<void> {
    await this.holder.query(end);
    await this.holder.end();
  }
}

/** Lets requests come as far as the locks of a statement, and then go on all at once. */
export async function inLockStep(
  database: TestDatabase,
  { sql, parameters, waiting, end = 'COMMIT' }: Barrier,
  requests: () => Promise<Answer>[],
): Promise<Answer[]> {
  const held = await Held.by(database, sql, parameters);
  const answers = Promise.all(requests());
  await held.untilWaiting(waiting);
  await held.release(end);
  return answers;
}

const WAITING = `SELECT count(*)::int FROM pg_stat_activity
                  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
