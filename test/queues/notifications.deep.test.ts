import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Forwarder } from '../support/forwarder.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

/** Half of the time that a shutdown has. */
const SOON_MS = 12_000;

let database: TestDatabase;
let forwarder: Forwarder;
beforeEach(async () => {
  database = await TestDatabase.create();
  forwarder = await Forwarder.to(Number(new URL(database.url).port));
});
afterEach(async () => {
  await forwarder.close();
  await database.close();
});

const start = () => TestApp.start({ SVC_DATABASE_URL: forwarder.through(database.url) }, { database });

/** The connections that have asked PostgreSQL to be notified, by their process there. */
const listening = async () =>
  (
    await database.rows(
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'latchkey notifications' AND query LIKE 'LISTEN%'`,
    )
  ).map(({ pid }) => pid);

describe('the connection that listens', () => {
  it('is replaced when PostgreSQL does not answer on it', async () => {
    forwarder.silenceAfter('LISTEN');
    const { nest } = await start();
    await until(async () => (await listening()).length > 0);
    const [unanswered] = await listening();

    forwarder.silenceAfter(null);

    await until(async () => (await listening()).some((pid) => pid !== unanswered));
    await nest.close();
  });

  it('does not delay the shutdown when PostgreSQL does not answer on it', async () => {
    const { nest } = await start();
    await until(async () => (await listening()).length > 0);
    forwarder.silenceAfter('LISTEN');

    const began = performance.now();
    await nest.close();

    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });
});
