import pg from 'pg';
import type { Answer } from './browser.js';
import type { TestDatabase } from './test-database.js';

/** What holds requests up: a statement whose locks last until so many of them wait, and how it ends. */
interface Barrier {
  sql: string;
  parameters: unknown[];
  waiting: number;
  end?: 'COMMIT' | 'ROLLBACK';
}

/** Lets requests come as far as the locks of a statement, and then go on all at once. */
export async function inLockStep(
  database: TestDatabase,
  { sql, parameters, waiting, end = 'COMMIT' }: Barrier,
  requests: () => Promise<Answer>[],
): Promise<Answer[]> {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(sql, parameters);
    const answers = Promise.all(requests());
    while ((await database.value(WAITING)) < waiting) await new Promise((resolve) => setTimeout(resolve, 5));
    await holder.query(end);
    return await answers;
  } finally {
    await holder.end();
  }
}

const WAITING = `SELECT count(*)::int FROM pg_stat_activity
                  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
