import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

const WEB = 'https://app.example.com';
const DEV_ORIGINS = [
  'http://localhost:5173',
  'http://localhost:4173',
  'http://127.0.0.1:5173',
  'http://127.0.0.1:4173',
];

// Origins that only resemble an allowed one, and those of pages that have none.
const FOREIGN = [
  'https://evil.example',
  `${WEB}.evil.example`,
  `${WEB}:8443`,
  `${WEB}/`,
  'http://app.example.com',
  'HTTPS://APP.EXAMPLE.COM',
  'http://localhost:51730',
  'null',
  '*',
  '',
];

const PREFLIGHT = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'content-type',
};

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.close());

/** The headers of CORS in an answer, whatever they are. */
function corsHeaders({ headers }: Answer): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
}

describe.each([
  ['dev', 'its default origins', {}, DEV_ORIGINS, [WEB]],
  [
    'dev',
    'two more origins',
    { SVC_CORS_ORIGINS: `${WEB},http://localhost:8080` },
    [...DEV_ORIGINS, WEB, 'http://localhost:8080'],
    [],
  ],
  ['beta', 'its default origins', {}, [WEB], DEV_ORIGINS],
  ['prod', 'its default origins', {}, [WEB], DEV_ORIGINS],
  [
    'prod',
    'an origin of its own',
    { SVC_CORS_ORIGINS: 'https://spa.example.com' },
    ['https://spa.example.com'],
    [WEB, ...DEV_ORIGINS],
  ],
  ['staging', 'the origin of the SPA', { SVC_CORS_ORIGINS: WEB }, [], [WEB, ...DEV_ORIGINS]],
])('CORS in %s with %s', (environment, _, variables, allowed, others) => {
  let app: TestApp;
  beforeAll(async () => {
    const settings = { SVC_ENVIRONMENT: environment, SVC_BASE_WEB_URL: `${WEB}/spa`, ...variables };
    app = await TestApp.start(settings, { database });
  });
  afterAll(() => app.nest.close());

  const foreign = [...FOREIGN, ...others];

  it('echoes an allowed origin, with credentials, and tells caches that the answer depends on it', async () => {
    for (const origin of allowed) {
      const answer = await app.browser({ origin }).get('/users/me');

      expect(answer.status).toBe(401);
      expect(answer.headers.vary).toMatch(/\borigin\b/i);
      expect(corsHeaders(answer)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy',
      });
    }
  });

  it('answers the preflight of an allowed origin with 204', async () => {
    for (const origin of allowed) {
      const answer = await app.browser({ origin }).send('OPTIONS', '/users/me', undefined, PREFLIGHT);

      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers.vary).toMatch(/\borigin\b/i);
      expect(corsHeaders(answer)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
        'access-control-allow-headers': 'Content-Type, Latchkey-Org',
      });
    }
  });

  it('sends no header of CORS to any other origin, not even in a preflight', async () => {
    for (const origin of foreign) {
      const answer = await app.browser({ origin }).get('/users/me');
      const preflight = await app.browser({ origin }).send('OPTIONS', '/users/me', undefined, PREFLIGHT);

      expect([origin, corsHeaders(answer), corsHeaders(preflight)]).toEqual([origin, {}, {}]);
      expect([answer.status, preflight.status]).toEqual([401, 404]);
      expect(answer.headers.vary).toMatch(/\borigin\b/i);
    }
  });

  it('sends no header of CORS when the request names no origin', async () => {
    expect(corsHeaders(await app.browser({}).get('/users/me'))).toEqual({});
  });
});
