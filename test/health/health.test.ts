import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.js';
import { onServer } from '../support/test-database.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** Does something while the database lets nobody in. */
async function whileDown<T>(work: () => Promise<T>): Promise<T> {
  const { name } = app.database;
  await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  return work().finally(() => onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
}

describe('GET /health/live', () => {
  it('answers 200 without the database', async () => {
    const answer = await whileDown(() => app.browser().get('/health/live'));
    expect(answer).toMatchObject({ status: 200, body: { status: 'live' } });
  });
});

describe('GET /health/ready', () => {
  it('answers 200 when requests can be served', async () => {
    expect(await app.browser().get('/health/ready')).toMatchObject({
      status: 200,
      body: { status: 'ready' },
    });
  });

  it('names the database when it is down, and is ready again once it is back', async () => {
    const answer = await whileDown(() => app.browser().get('/health/ready'));

    expect(answer).toMatchObject({ status: 503, body: { code: 'ServiceUnavailable', down: ['database'] } });
    expect((await app.browser().get('/health/ready')).status).toBe(200);
  });
});
