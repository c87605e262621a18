import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';
import { onServer } from '../support/test-database.js';

let app: TestApp;
let browser: Browser & { email: string };
beforeAll(async () => {
  app = await TestApp.start();
  browser = await loggedIn(app);
});
afterEach(() => app.database.bringUp());
afterAll(() => app.close());

describe('while the database is down', () => {
  it.each([
    ['GET', '/users/me', undefined],
    ['POST', '/auth/login', { email: 'somebody@example.com', password: PASSWORD }],
    ['POST', '/auth/signup', { email: 'somebody@example.com', password: PASSWORD }],
    ['POST', '/password/forgot', { email: 'somebody@example.com' }],
    ['POST', '/auth/logout', undefined],
  ] as const)('a %s %s is answered 503 with a time to try again', async (method, url, payload) => {
    await app.database.takeDown();

    const headers = { cookie: `session_id=${browser.jar.get('session_id')}` };
    const answer = await app.nest.inject({ method, url, headers, ...(payload && { payload }) });

    expectProblem(answer, 503, 'ServiceUnavailable');
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('the service is alive but not ready, and names the database as down', async () => {
    await app.database.takeDown();

    expect((await browser.get('/health/live')).status).toBe(200);
    const { down } = expectProblem(
      await app.nest.inject({ url: '/health/ready' }),
      503,
      'ServiceUnavailable',
    );
    expect(down).toEqual(['database']);
  });

  it('requests that need no database are answered as always', async () => {
    await app.database.takeDown();

    expectProblem(await app.nest.inject({ url: '/nowhere' }), 404, 'NotFound');
    expectProblem(await app.nest.inject({ url: '/users/me' }), 401, 'Unauthenticated');
  });
});

describe('while the database only reads', () => {
  /** As a server does whose disk is full. It holds for the connections that open from then on. */
  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    await onServer(
      `ALTER DATABASE ${app.database.name} SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`,
    );
  }
  const rename = () => {
    const headers = { cookie: `session_id=${browser.jar.get('session_id')}` };
    return app.nest.inject({ method: 'PATCH', url: '/users/me', headers, payload: { name: 'Ada' } });
  };
  const ready = () => app.nest.inject({ url: '/health/ready' });

  it('the service is not ready, and checks sessions as always', async () => {
    await setReadOnly(true);
    await app.database.takeDown();
    await app.database.bringUp();

    expectProblem(await rename(), 503, 'ServiceUnavailable');
    expect((await browser.get('/users/me')).status).toBe(200);
    expect(expectProblem(await ready(), 503, 'ServiceUnavailable').down).toEqual(['writes']);
  });

  it('a connection that was refused a write is not used again, so that the service writes once the database does', async () => {
    await setReadOnly(false);

    const answers: number[] = [];
    for (let tries = 0; tries < 2 * app.environment.databasePoolSize; tries++)
      answers.push((await rename()).statusCode);

    expect(answers.slice(app.environment.databasePoolSize)).toEqual(
      Array(app.environment.databasePoolSize).fill(200),
    );
    expect((await ready()).statusCode).toBe(200);
  });
});

describe('when the database is back', () => {
  it('sessions are valid as before', async () => {
    await app.database.takeDown();
    expect((await browser.get('/users/me')).status).toBe(503);

    await app.database.bringUp();

    expect((await browser.get('/users/me')).body.user.email).toBe(browser.email);
    expect((await browser.get('/health/ready')).status).toBe(200);
    expect(await app.database.value('SELECT count(*)::int FROM sessions WHERE invalidated_at IS NULL')).toBe(
      1,
    );
  });
});
