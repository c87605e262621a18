import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InternalError } from '../../src/http/errors.js';
import { problemOf } from '../../src/http/problem-of.js';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('an address', () => {
  it.each(['/users/%', '/users/%zz', '/auth/login%ff', '/%c0%af'])(
    'is refused as malformed: %s',
    async (url) => {
      expectProblem(await app.nest.inject({ url }), 400, 'BadRequest');
    },
  );

  it('is refused when a parameter in it is too long', async () => {
    const answer = await app.nest.inject({ method: 'DELETE', url: `/sessions/${'a'.repeat(101)}` });
    expectProblem(answer, 414, 'UriTooLong');
  });

  it.each(['/ui/', '/nowhere', '//nowhere', '/auth', '/auth/login/', '/AUTH/LOGIN', `/${'a'.repeat(5_000)}`])(
    'is unknown: %s',
    async (url) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const)
        expectProblem(await app.nest.inject({ method, url }), 404, 'NotFound');
    },
  );

  it('is refused by the name of a parameter or of a query that is not as it must be', async () => {
    const browser = await loggedIn(app);

    expect((await browser.delete('/sessions/42')).body.errors).toEqual([
      { field: 'id', messages: ['must be a UUID'], reasons: [{ code: 'not_an_id' }] },
    ]);
    expect((await browser.get('/sessions?limit=0&page=2')).body.errors).toEqual([
      { field: 'page', messages: ['is not a field of this request'], reasons: [{ code: 'unknown_field' }] },
      {
        field: 'limit',
        messages: [expect.stringMatching(/^must /)],
        reasons: [{ code: 'too_small', min: 1 }],
      },
    ]);
  });
});

describe('an error of the service', () => {
  it('is answered with no more than its code', async () => {
    await app.database.rows('ALTER TABLE signups ADD CONSTRAINT full_house CHECK (false) NOT VALID');
    const payload = { email: 'guest@example.com', password: PASSWORD };
    const answer = await app.nest.inject({ method: 'POST', url: '/auth/signup', payload });
    await app.database.rows('ALTER TABLE signups DROP CONSTRAINT full_house');

    expect(expectProblem(answer, 500, 'InternalError').detail).toBe('Something went wrong on our side.');
    expect(answer.payload).not.toMatch(/full_house|guest|signups|constraint/);
    expect(await app.database.rows('SELECT id FROM signups WHERE email = $1', [payload.email])).toEqual([]);
  });
});

describe('every response', () => {
  it.each([
    ['a success', { method: 'GET', url: '/health/live' }, 200],
    [
      'no content',
      { method: 'POST', url: '/password/forgot', payload: { email: 'nobody@example.com' } },
      202,
    ],
    ['a refusal', { method: 'GET', url: '/users/me' }, 401],
    [
      'a preflight',
      { method: 'OPTIONS', url: '/users/me', headers: { origin: 'http://localhost:5173' } },
      204,
    ],
    ['an unreadable address', { method: 'GET', url: '/%' }, 400],
    ['an unknown path', { method: 'PUT', url: '/nowhere' }, 404],
  ] as const)('is marked with an id of its own, and kept by no cache: %s', async (_, request, status) => {
    const answers = [await app.nest.inject(request), await app.nest.inject(request)];

    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([status, status]);
    expect(answers.map(({ headers }) => headers['cache-control'])).toEqual(['no-store', 'no-store']);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[\da-f-]{36}$/);
  });

  it('has an id of the service, whatever id the client sends', async () => {
    const headers = { 'x-request-id': 'chosen-by-the-client', 'request-id': 'chosen-by-the-client' };
    const answer = await app.nest.inject({ url: '/health/live', headers });
    expect(answer.headers['x-request-id']).not.toBe('chosen-by-the-client');
  });
});

describe('an error of a library that has a status of its own', () => {
  it.each([401, 403, 404])('is an error of the service: %i', (statusCode) => {
    const error = Object.assign(new Error('Invalid API Key'), { statusCode, code: 'api_key_invalid' });

    expect(problemOf(error)).toBeInstanceOf(InternalError);
  });
});
