import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { type Leased, LeasedQueue } from '../../src/jobs/leased-queue.js';
import { DELIVERIES } from '../../src/webhooks/deliveries.js';
import { TestApp } from '../support/test-app.js';

const WAITING = 500;
const PAUSE_MS = 600_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** A receiver for whom rows wait, and who is paused where so many milliseconds are given. */
async function receiver(pauseMs: number | null): Promise<string> {
  const name = randomUUID();
  await app.database.rows(
    `INSERT INTO webhook_deliveries (id, event_id, endpoint)
     SELECT gen_random_uuid(), gen_random_uuid(), $1 FROM generate_series(1, $2)`,
    [name, WAITING],
  );
  if (pauseMs !== null)
    await app.database.rows(
      `INSERT INTO webhook_outages (endpoint, paused_until, is_refused)
       VALUES ($1, now() + make_interval(secs => $2::float / 1000), false)`,
      [name, pauseMs],
    );
  return name;
}

/** What a worker learns when nothing may be tried, and how many rows PostgreSQL read for that. */
function askedFor(name: string): Promise<{ ms: number | null; rowsRead: number }> {
  return app.nest.get(DataSource).transaction(async (manager) => {
    const queue = new LeasedQueue<Leased>(manager as unknown as DataSource, DELIVERIES);
    await queue.claim(name, 0);
    const ms = await queue.untilDueMs(name);
    const [{ read }] = await manager.query(
      `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read
         FROM pg_stat_xact_user_tables WHERE relname = 'webhook_deliveries'`,
    );
    return { ms, rowsRead: read };
  });
}

describe('a worker that finds nothing to try', () => {
  it('reads none of the rows that wait for a receiver during its pause', async () => {
    const { ms, rowsRead } = await askedFor(await receiver(PAUSE_MS));

    expect(rowsRead).toBe(0);
    expect(ms).toBeGreaterThan(PAUSE_MS - 30_000);
    expect(ms).toBeLessThanOrEqual(PAUSE_MS);
  });

  it.each([null, -1000])('comes back for what is due, with a pause of %s ms', async (pauseMs) => {
    const { ms, rowsRead } = await askedFor(await receiver(pauseMs));

    expect(ms).toBe(0);
    expect(rowsRead).toBeGreaterThanOrEqual(WAITING);
  });

  it('knows no time where nothing waits', async () => {
    expect((await askedFor(randomUUID())).ms).toBeNull();
  });
});
