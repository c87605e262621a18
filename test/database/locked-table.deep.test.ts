import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InjectOptions } from 'fastify';
import { loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import type { Browser } from '../support/browser.js';
import { Held } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';

const POOL_SIZE = 2;

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await TestApp.start({ SVC_DATABASE_POOL_SIZE: String(POOL_SIZE) });
  browser = await loggedIn(app);
});
afterAll(() => app.close());

describe('while a table is locked, and all connections wait for it', () => {
  it('requests that need it are answered with 503, and the service checks sessions as always', async () => {
    const held = await Held.by(app.database, 'LOCK TABLE audit_events', []);
    const headers = { cookie: `session_id=${browser.jar.get('session_id')}` };
    const rename = () =>
      app.nest.inject({ method: 'PATCH', url: '/users/me', headers, payload: { name: 'Ada' } });

    const renamed = Promise.all(Array.from({ length: 4 * POOL_SIZE }, rename));
    await held.untilWaiting(POOL_SIZE);

    expect((await browser.get('/users/me')).body.user.name).toBeNull();
    for (const answer of await renamed) expectProblem(answer, 503, 'ServiceUnavailable');
    await held.release();
    expect((await rename()).statusCode).toBe(200);
  });

  it('the log says of a login that it waited too long, not what PostgreSQL refused after that', async () => {
    // The service asks on about a device that the account does not know, while the record of the login waits.
    const email = await verified(app);
    const held = await Held.by(app.database, 'LOCK TABLE audit_events', []);
    const answer = await browser.post('/auth/login', { email, password: PASSWORD });
    await held.release();

    expect(answer).toMatchObject({ status: 503, body: { code: 'ServiceUnavailable' } });
    const failure = app.log.find(
      (line) => line.includes('request.failed') && line.includes(answer.body.request_id),
    );
    expect(JSON.parse(failure ?? '{}').reason).toBe('canceling statement due to lock timeout');
  });
});

/** The six seconds that the documents promise, and what a busy machine adds. */
const LONGEST_ANSWER_MS = 8_000;

describe.each(['users', 'sessions'])(
  'while %s is locked, and people log in and come back all the time',
  (table) => {
    it('each request is answered within the time limit, however many wait before it', async () => {
      const email = await verified(app);
      const held = await Held.by(app.database, `LOCK TABLE ${table}`, []);
      const cookie = `session_id=${browser.jar.get('session_id')}`;
      const timed = async (options: InjectOptions) => {
        const askedAt = performance.now();
        const { statusCode } = await app.nest.inject(options);
        return { statusCode, ms: performance.now() - askedAt };
      };

      const answers: Promise<{ statusCode: number; ms: number }>[] = [];
      for (let turn = 0; turn < 40; turn++) {
        answers.push(timed({ url: '/users/me', headers: { cookie } }));
        if (turn % 10 === 0)
          answers.push(
            timed({
              method: 'POST',
              url: '/auth/login',
              payload: { email, password: PASSWORD },
            }),
          );
        await setTimeout(50);
      }
      const all = await Promise.all(answers);
      await held.release();

      expect(new Set(all.map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
      expect(Math.max(...all.map(({ ms }) => ms))).toBeLessThan(LONGEST_ANSWER_MS);
    });
  },
);
