import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../support/accounts.js';
import { METHODS, wholeAnswer } from '../support/answers.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

const ACCOUNT = { email: 'founder@example.com', password: PASSWORD };
const JSON_TYPE = { 'content-type': 'application/json' };

const CLOSED = ['/auth/signup', '/auth/signup-org', '/auth/%73ignup?from=ad'];

const BODIES: Record<string, { headers?: Record<string, string>; payload?: string }> = {
  none: {},
  'a valid one': { headers: JSON_TYPE, payload: JSON.stringify({ ...ACCOUNT, org_name: 'Initech' }) },
  'malformed JSON': { headers: JSON_TYPE, payload: '{"email":' },
  'an empty one': { headers: JSON_TYPE, payload: '' },
  'a wrong content type': { headers: { 'content-type': 'text/plain' }, payload: 'email=founder@example.com' },
  'no content type': { payload: 'email' },
  '100 KB': { headers: JSON_TYPE, payload: JSON.stringify({ email: 'a'.repeat(100_000) }) },
};

const SENDERS: Record<string, Record<string, string>> = {
  'no browser': {},
  'the SPA': { origin: 'http://localhost:5173' },
  'the preflight of the SPA': { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' },
  'a foreign page': { origin: 'https://evil.example' },
  'a page without an origin': { origin: 'null' },
  'a page of another site': { 'sec-fetch-site': 'cross-site' },
  'a browser with a stale session': { cookie: 'session_id=stale' },
};

let database: TestDatabase;
let app: TestApp;
beforeAll(async () => {
  database = await TestDatabase.create();
  app = await TestApp.start({ SVC_APP_MODE: 'b2b' }, { database });
});
afterAll(() => app.close());

describe.each(CLOSED)('%s in B2B', (path) => {
  it.each(METHODS)('answers a %s as an unknown path does, whatever the request carries', async (method) => {
    const { body: notFound } = await wholeAnswer(app, '/no-such-path', { method: 'POST', headers: {} });

    for (const [sent, { headers, payload }] of Object.entries(BODIES))
      for (const [sender, senderHeaders] of Object.entries(SENDERS)) {
        const request = { method, headers: { ...senderHeaders, ...headers }, ...(payload && { payload }) };
        const isPreflight = method === 'OPTIONS' && sender.endsWith('the SPA');

        const closed = await wholeAnswer(app, path, request);

        expect({ sent, sender, ...closed }).toEqual({
          sent,
          sender,
          status: isPreflight ? 204 : 404,
          headers: (await wholeAnswer(app, '/auth/no-such-path', request)).headers,
          body: isPreflight || method === 'HEAD' ? '' : notFound,
        });
      }
    expect(await database.rows('SELECT id FROM users')).toEqual([]);
  });

  it('has the body of a problem', async () => {
    const answer = await app.browser().post(path, ACCOUNT);

    expect(answer.headers['content-type']).toMatch('application/problem+json');
    expect(answer.body).toMatchObject({
      status: 404,
      code: 'NotFound',
      request_id: answer.headers['x-request-id'],
    });
    expect(answer.text).not.toMatch(/signup/i);
  });
});

describe('signup in B2C', () => {
  it.each([
    ['/auth/signup', { email: 'member@example.com', password: PASSWORD }, null],
    ['/auth/signup-org', { email: 'admin@example.com', password: PASSWORD, org_name: 'Initech' }, 'Initech'],
  ])('is open at %s', async (path, account, orgName) => {
    const open = await TestApp.start({}, { database });
    const answer = await open.browser().post(path, account);
    await open.nest.close();

    expect([answer.status, answer.body]).toEqual([202, { email: account.email }]);
    const named = 'SELECT org_name FROM signups WHERE email = $1';
    expect(await database.value(named, [account.email])).toBe(orgName);
  });
});
