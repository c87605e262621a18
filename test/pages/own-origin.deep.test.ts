import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

const DEPLOYED = {
  SVC_BASE_WEB_URL: 'https://app.example.com',
  SVC_BASE_API_URL: 'https://api.example.com/v1',
  SVC_SESSION_COOKIE_NAME: '__Host-session',
  SVC_RATE_LIMITS: 'on',
};

let database: TestDatabase;
let email: string;
/** Of a session that began from an allowed origin, under the name of the cookie in every environment. */
let cookie: string;
beforeAll(async () => {
  database = await TestDatabase.create();
  const app = await TestApp.start({}, { database });
  const browser = await loggedIn(app);
  const token = browser.jar.get('session_id');
  email = browser.email;
  cookie = `session_id=${token}; __Host-session=${token}`;
  await app.nest.close();
});
afterAll(() => database.close());

describe.each([
  [
    'in dev',
    {},
    ['http://localhost:3000', 'http://127.0.0.1:3000'],
    [
      'https://localhost:3000',
      'http://localhost:3001',
      'http://localhost',
      'http://[::1]:3000',
      'http://localhost:3000.evil.example',
      'http://127.0.0.1.evil.example:3000',
    ],
  ],
  [
    'in prod',
    { ...DEPLOYED, SVC_ENVIRONMENT: 'prod' },
    ['https://api.example.com'],
    [
      'http://api.example.com',
      'https://api.example.com:8443',
      'https://other.example.com',
      'https://api.example.com.evil.example',
      'http://127.0.0.1',
    ],
  ],
  [
    'in an unknown environment where SVC_PAGES is on',
    { ...DEPLOYED, SVC_ENVIRONMENT: 'staging', SVC_PAGES: 'on' },
    ['https://api.example.com'],
    ['https://app.example.com'],
  ],
  [
    'in an unknown environment',
    { ...DEPLOYED, SVC_ENVIRONMENT: 'staging' },
    [],
    ['https://api.example.com', 'https://app.example.com'],
  ],
  [
    'with SVC_PAGES off',
    { ...DEPLOYED, SVC_ENVIRONMENT: 'prod', SVC_PAGES: 'off' },
    [],
    ['https://api.example.com'],
  ],
  ['in dev with SVC_PAGES off', { SVC_PAGES: 'off' }, [], ['http://localhost:3000', 'http://127.0.0.1:3000']],
])('%s', (_, settings, own, foreign) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start(settings, { database });
    await database.rows('UPDATE users SET name = NULL');
  });
  afterAll(() => app.nest.close());

  const rename = (origin: string) =>
    app.browser({ cookie, origin }).patch('/users/me', { name: `Renamed by ${origin}` });
  const isRenamed = async (origin: string) =>
    (await database.value('SELECT name FROM users WHERE email = $1', [email])) === `Renamed by ${origin}`;

  it('the pages of the service may change what the user may, and no page of a sibling', async () => {
    for (const origin of own) {
      expect([origin, (await rename(origin)).status]).toEqual([origin, 200]);
      expect(await isRenamed(origin)).toBe(true);
    }
    for (const origin of foreign) {
      expect([origin, (await rename(origin)).body.code]).toEqual([origin, 'OriginNotAllowed']);
      expect(await isRenamed(origin)).toBe(false);
    }
  });

  it('CORS answers the origin of the service as it answers any foreign one', async () => {
    for (const origin of own) {
      const { headers } = await app.browser({ origin }).get('/auth/methods');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

describe('with SVC_PAGES off', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_PAGES: 'off' }, { database });
  });
  afterAll(() => app.nest.close());

  it.each(['/', '/ui', '/ui/login', '/ui/assets/x.js', '/ui/x'])(
    '%s answers as an unknown path does, byte for byte',
    async (path) => {
      const id = { 'x-request-id': '01a1fab1-b331-7244-ab8e-0fcc455f8898' };
      const [closed, unknown] = await Promise.all(
        [path, '/no-such-path'].map((url) => app.nest.inject({ url, headers: id })),
      );

      const withoutIds = (text = '') => text.replace(/"request_id":"[^"]*"/, '');
      expect(closed?.statusCode).toBe(404);
      expect(withoutIds(closed?.payload)).toBe(withoutIds(unknown?.payload));
      expect(Object.keys(closed?.headers ?? {})).toEqual(Object.keys(unknown?.headers ?? {}));
    },
  );

  it('no route of the pages is there', () => {
    expect(app.routes.filter((route) => / \/(ui|admin)/.test(route))).toEqual([]);
  });
});
