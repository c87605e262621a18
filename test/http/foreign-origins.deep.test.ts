import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApp } from '../support/test-app.js';

const SAFE = ['GET', 'HEAD', 'OPTIONS'];
const CRON_SECRET = 'the secret of the scheduler and of the tests';

const FOREIGN = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'http://localhost:3001' },
  { origin: 'https://localhost:3000' },
  { origin: 'http://localhost:5173, https://evil.example' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { origin: 'null', 'sec-fetch-site': 'none' },
  { 'sec-fetch-site': 'cross-site' },
];

const PASSING = [
  { origin: 'http://localhost:5173' },
  { origin: 'http://localhost:3000' },
  { origin: 'http://localhost:5173', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-site' },
  {},
];

/** Headers with their names for a title. */
const titled = (all: Record<string, string>[]) =>
  all.map((headers) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name} "${value}"`);
    return [lines.join(' and ') || 'neither header', headers] as const;
  });

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_CRON_SECRET: CRON_SECRET,
    SVC_IDP_CLIENT_ID: 'latchkey',
    SVC_IDP_CLIENT_SECRET: 'a secret of the client at the provider',
  });
});
afterAll(() => app.close());

/** Calls a route with the headers of some sender, and the secret of the only one that takes a secret. */
async function call(route: string, headers: Record<string, string>): Promise<number> {
  const [method = '', path = ''] = route.split(' ');
  const url = path.replace(/:\w+/g, '01a1fab1-b331-7244-ab8e-0fcc455f8898');
  const authorization = `Bearer ${CRON_SECRET}`;
  return (await app.browser({ authorization, ...headers }).send(method as 'GET', url)).status;
}

describe('every route, the login included,', () => {
  // It judges the origin whatever the method, as test/backends/verify.test.ts shows.
  const standsForOthers = (route: string) => route.endsWith(' /sessions/verify');
  const routes = (isSafe: boolean) =>
    app.routes.filter(
      (route) =>
        SAFE.includes(route.split(' ')[0] ?? '') === isSafe &&
        !route.includes('*') &&
        !standsForOthers(route),
    );

  it.each(titled(FOREIGN))('refuses an unsafe request with %s', async (_, headers) => {
    const refused: string[] = [];
    for (const route of routes(false)) {
      const status = await call(route, headers);
      if (status === 403) refused.push(route);
      // Closed by a setting.
      else expect([route, status]).toEqual([route, 404]);
    }
    expect(refused.length).toBeGreaterThan(20);
    expect(refused).toContain('POST /auth/login');
  });

  it.each(titled(FOREIGN))(
    'answers a safe request with %s, and lets CORS decide which page may read the answer',
    async (_, headers) => {
      for (const route of routes(true)) expect([route, await call(route, headers)]).not.toEqual([route, 403]);
    },
  );

  it.each(titled(PASSING))('accepts an unsafe request with %s', async (_, headers) => {
    for (const route of routes(false)) expect([route, await call(route, headers)]).not.toEqual([route, 403]);
  });
});
