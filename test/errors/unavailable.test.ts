import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';
import { onServer } from '../support/test-database.js';
import { expectProblem } from './expect-problem.js';

let app: TestApp;
let browser: Browser & { email: string };
beforeAll(async () => {
  app = await TestApp.start();
  browser = await loggedIn(app);
});
afterEach(bringUp);
afterAll(() => app.close());

/** Ends every connection to the service's database, and lets no new one in. */
async function takeDown(): Promise<void> {
  const { name } = app.database;
  await onServer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await onServer(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                   WHERE datname = '${name}' AND application_name = 'latchkey'`);
}

async function bringUp(): Promise<void> {
  await onServer(`ALTER DATABASE ${app.database.name} ALLOW_CONNECTIONS true`);
}

describe('while the database is down', () => {
  it.each([
    ['GET', '/users/me', undefined],
    ['POST', '/auth/login', { email: 'somebody@example.com', password: PASSWORD }],
    ['POST', '/auth/signup', { email: 'somebody@example.com', password: PASSWORD }],
    ['POST', '/password/forgot', { email: 'somebody@example.com' }],
    ['POST', '/auth/logout', undefined],
  ] as const)('a %s %s is answered 503 with a time to try again', async (method, url, payload) => {
    await takeDown();

    const headers = { cookie: `session_id=${browser.jar.get('session_id')}` };
    const answer = await app.nest.inject({ method, url, headers, ...(payload && { payload }) });

    expectProblem(answer, 503, 'ServiceUnavailable');
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('the service is alive and not ready, and says what is down', async () => {
    await takeDown();

    expect((await browser.get('/health/live')).status).toBe(200);
    const { down } = expectProblem(
      await app.nest.inject({ url: '/health/ready' }),
      503,
      'ServiceUnavailable',
    );
    expect(down).toEqual(['database']);
  });

  it('what needs no database is answered as always', async () => {
    await takeDown();

    expectProblem(await app.nest.inject({ url: '/nowhere' }), 404, 'NotFound');
    expectProblem(await app.nest.inject({ url: '/users/me' }), 401, 'Unauthenticated');
  });
});

describe('when the database is back', () => {
  it('sessions go on where they were', async () => {
    await takeDown();
    expect((await browser.get('/users/me')).status).toBe(503);

    await bringUp();

    expect((await browser.get('/users/me')).body.user.email).toBe(browser.email);
    expect((await browser.get('/health/ready')).status).toBe(200);
    expect(await app.database.value('SELECT count(*)::int FROM sessions WHERE invalidated_at IS NULL')).toBe(
      1,
    );
  });
});
