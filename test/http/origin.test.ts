import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';

const FOREIGN = [
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:5173.evil.example' },
  { origin: 'http://localhost:5173/' },
  { origin: 'https://localhost:5173' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'cross-site' },
];

const PASSING = [
  { origin: 'http://localhost:5173' },
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  {},
];

const UNSAFE = [
  ['POST', '/auth/logout', undefined],
  ['POST', '/auth/login', { email: 'somebody@example.com', password: PASSWORD }],
  ['POST', '/password/update', { current_password: PASSWORD, new_password: 'a wholly different phrase' }],
  ['PATCH', '/users/me', { name: 'Mallory' }],
  ['DELETE', '/sessions', undefined],
] as const;

let app: TestApp;
let browser: Browser & { email: string };
let cookie: string;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

beforeEach(async () => {
  browser = await loggedIn(app);
  cookie = `session_id=${browser.jar.get('session_id')}`;
});

/** All that a request could change. */
async function everything(): Promise<unknown> {
  return [
    await app.database.rows('SELECT * FROM users ORDER BY id'),
    await app.database.rows('SELECT * FROM sessions ORDER BY id'),
    await app.database.rows('SELECT * FROM one_time_tokens ORDER BY id'),
  ];
}

describe('a request from a page of another origin', () => {
  it.each(UNSAFE)('is refused when it is a %s %s, and changes nothing', async (method, url, body) => {
    await loggedIn(app, browser.email);
    const before = await everything();

    for (const headers of FOREIGN) {
      const answer = await app.browser({ cookie, ...headers }).send(method, url, body);
      expect([headers, answer.status, answer.body.code]).toEqual([headers, 403, 'OriginNotAllowed']);
      expect(answer.cookies).toEqual([]);
    }
    expect(await everything()).toEqual(before);
  });

  it('gets the same answer with and without a session', async () => {
    for (const headers of FOREIGN) {
      const answer = await app.browser(headers).delete('/sessions');
      expect([headers, answer.status, answer.body.code]).toEqual([headers, 403, 'OriginNotAllowed']);
    }
  });

  it('makes no account', async () => {
    const account = { email: 'victim@example.com', password: PASSWORD };
    for (const headers of FOREIGN)
      expect((await app.browser(headers).post('/auth/signup', account)).status).toBe(403);

    expect(await app.database.rows('SELECT id FROM users WHERE email = $1', [account.email])).toEqual([]);
    expect(await app.mailbox.to(account.email)).toEqual([]);
  });

  it('passes when its method is safe: CORS decides what the page may read', async () => {
    for (const headers of FOREIGN) {
      for (const method of ['GET', 'HEAD'] as const) {
        const { statusCode } = await app.nest.inject({
          method,
          url: '/users/me',
          headers: { cookie, ...headers },
        });
        expect([headers, method, statusCode]).toEqual([headers, method, 200]);
      }
    }
  });
});

describe('a request from an allowed origin, or from no browser at all', () => {
  const titleOf = (headers: object) => Object.values(headers).join(' and ') || 'no origin';
  it.each(PASSING.map((headers) => [titleOf(headers), headers] as const))(
    'passes with %s',
    async (_, headers) => {
      const name = `Renamed with ${Object.keys(headers).length}`;
      const answer = await app.browser({ cookie, ...headers }).patch('/users/me', { name });

      expect([answer.status, answer.body.user.name]).toEqual([200, name]);
      expect(await app.database.value('SELECT name FROM users WHERE id = $1', [answer.body.user.id])).toBe(
        name,
      );
    },
  );
});
