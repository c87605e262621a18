import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { Held } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { scrape, TOKEN } from './scrape.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_METRICS_TOKEN: TOKEN, SVC_BCRYPT_COST: '9' });
});
afterAll(() => app.close());

describe('the metrics', () => {
  it('show how many passwords wait to be hashed, and count those refused', async () => {
    const signups = Array.from({ length: availableParallelism() + 100 }, () =>
      app.browser().post('/auth/signup', { email: freshAddress(), password: PASSWORD }),
    );
    let meanwhile = new Map<string, number>();
    await until(async () => {
      meanwhile = await scrape(app);
      return Number(meanwhile.get('latchkey_password_hashes_waiting')) > 0;
    });
    const refused = (await Promise.all(signups)).filter(({ status }) => status === 503).length;
    const afterwards = await scrape(app);

    expect(meanwhile.get('latchkey_password_hashes_active')).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    expect(afterwards.get('latchkey_password_hashes_refused_total')).toBe(refused);
    expect(afterwards.get('latchkey_password_hashes_active')).toBe(0);
    expect(afterwards.get('latchkey_password_hashes_waiting')).toBe(0);
  });
});

describe('when the database accepts connections and does not answer', () => {
  it('scrapes show the other metrics within seconds, and send it one query', async () => {
    const held = await Held.by(app.database, 'LOCK TABLE scheduled_jobs', []);
    const startedAt = performance.now();
    const scrapes = [...(await Promise.all([scrape(app), scrape(app)])), await scrape(app)];
    const seconds = (performance.now() - startedAt) / 1000;
    const waiting = await app.database.value(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await held.release();

    expect(seconds).toBeLessThan(8);
    // What the first asked for has met the limit for locks by now; what a later one asked for would still wait.
    expect(waiting).toBe(0);
    for (const figures of scrapes) {
      expect([...figures.keys()]).toContain('latchkey_database_pool_connections');
      expect([...figures.keys()]).not.toContain('latchkey_prune_last_success_timestamp_seconds');
    }
  });
});
