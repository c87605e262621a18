import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import { TestApp } from '../support/test-app.js';

const SECRET = 'the secret of the scheduler that the tests know';

/** The content types that `curl -d ''`, schedulers and wrappers of fetch give an empty body. */
const TYPES = [
  'application/x-www-form-urlencoded',
  'text/plain;charset=UTF-8',
  'application/octet-stream',
  'application/json',
  'application/x-nothing-known',
];

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_CRON_SECRET: SECRET });
});
afterAll(() => app.close());

/** Asks for a prune with a body. */
const cron = (type: string, payload: string) =>
  app.nest.inject({
    method: 'POST',
    url: '/cron',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': type },
    payload,
  });

describe('a route without a body', () => {
  it.each(TYPES)('accepts an empty body of the type %s', async (type) => {
    expect((await cron(type, '')).statusCode).toBe(200);

    const browser = await loggedIn(app);
    expect((await browser.send('DELETE', '/sessions', '', { 'content-type': type })).status).toBe(200);
    expect((await browser.send('POST', '/auth/logout', '', { 'content-type': type })).status).toBe(204);
  });

  it.each(['{}', '{"id":1}', 'null', '[]', '42', '{"toString":1}', `${'['.repeat(9)}${']'.repeat(9)}`])(
    'ignores the JSON %s',
    async (body) => {
      expect((await cron('application/json', body)).statusCode).toBe(200);

      const browser = await loggedIn(app);
      expect((await browser.send('POST', '/auth/logout', body)).status).toBe(204);
    },
  );

  it.each(TYPES.filter((type) => type !== 'application/json'))(
    'refuses a body with content of the type %s',
    async (type) => {
      expectProblem(await cron(type, 'a=1'), 415, 'UnsupportedMediaType');
    },
  );
});

describe('a route with a body', () => {
  it.each(TYPES)('names the fields that an empty body of the type %s lacks', async (type) => {
    const answer = await app.nest.inject({
      method: 'POST',
      url: '/auth/login',
      headers: { 'content-type': type },
      payload: '',
    });
    const { errors } = expectProblem(answer, 400, 'ValidationFailed');
    expect(errors.map(({ field }: { field: string }) => field)).toEqual(['email', 'password']);
  });
});
