import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Header, Module } from '@nestjs/common';
import { Public } from '../../src/http/route.js';
import { answerTo } from '../support/send.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

const WEB = 'https://app.example.com';

/** What a product may add to the service: a page with a policy of its own, and a fault. */
@Controller('added')
@Public()
class Added {
  @Get('page')
  @Header('content-security-policy', "default-src 'self'")
  @Header('content-type', 'text/html')
  page() {
    return '<!doctype html>';
  }

  @Get('fault')
  fault() {
    throw new Error('a fault of the product');
  }
}

@Module({ controllers: [Added] })
class Product {}

const POLICIES = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

const HSTS = 'max-age=31536000; includeSubDomains';
const BANNERS = ['server', 'x-powered-by', 'via'];
const JSON_TYPE = { 'content-type': 'application/json' };

const REQUESTS = [
  [200, { url: '/health/live' }],
  [202, { method: 'POST', url: '/password/forgot', payload: { email: 'nobody@example.com' } }],
  [302, { url: '/auth/oauth/idp/callback' }],
  [400, { url: '/%' }],
  [400, { method: 'POST', url: '/auth/login', headers: JSON_TYPE, payload: '{' }],
  [401, { url: '/users/me' }],
  [403, { method: 'POST', url: '/auth/logout', headers: { origin: 'https://evil.example' } }],
  [404, { url: '/nowhere' }],
  [404, { method: 'OPTIONS', url: '/users/me' }],
  [405, { method: 'HEAD', url: '/cron' }],
  [413, { method: 'POST', url: '/auth/login', headers: JSON_TYPE, payload: ' '.repeat(65_537) }],
  [414, { method: 'DELETE', url: `/sessions/${'a'.repeat(101)}` }],
  [415, { method: 'POST', url: '/auth/login', payload: 'email=ada' }],
  [500, { url: '/added/fault' }],
] as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.close());

describe.each([
  ['dev', undefined],
  ['beta', HSTS],
  ['prod', HSTS],
  ['staging', HSTS],
])('in %s', (environment, hsts) => {
  let app: TestApp;
  let port: number;
  beforeAll(async () => {
    const settings = {
      SVC_ENVIRONMENT: environment,
      SVC_BASE_WEB_URL: WEB,
      SVC_CORS_ORIGINS: environment === 'dev' ? WEB : '',
      SVC_CRON_SECRET: 'the secret of the scheduler and of the tests',
      SVC_IDP_CLIENT_ID: 'latchkey',
      SVC_IDP_CLIENT_SECRET: 'a secret of the client at the provider',
      SVC_LIMIT_MAIL_PER_ADDRESS: '100/1h',
    };
    app = await TestApp.start(settings, { database, product: { modules: [Product] } });
    port = await app.listen();
  });
  afterAll(() => app.nest.close());

  function expectPolicies(headers: Record<string, unknown>, policies: Record<string, string> = POLICIES) {
    expect(headers).toMatchObject(policies);
    expect(headers['strict-transport-security']?.toString().toLowerCase()).toBe(hsts?.toLowerCase());
    expect(Object.keys(headers).filter((name) => BANNERS.includes(name))).toEqual([]);
  }

  it.each(REQUESTS)('every answer carries the policies: %i', async (status, request) => {
    const answer = await app.nest.inject(request);

    expect(answer.statusCode).toBe(status);
    expectPolicies(answer.headers);
  });

  it('so does the answer to a preflight, where one is allowed', async () => {
    const answer = await app.browser({ origin: WEB }).send('OPTIONS', '/users/me');

    expect(answer.status).toBe(environment === 'staging' ? 404 : 204);
    expectPolicies(answer.headers);
  });

  it.each([
    ['is no request', 'garbage\r\n\r\n'],
    ['names no resource', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['expects too much', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nConnection: close\r\n\r\n'],
  ])('so does the answer to what %s', async (_, bytes) => {
    expectPolicies((await answerTo(port, bytes)).headers);
  });

  it('a page keeps its own policy', async () => {
    const answer = await app.browser().get('/added/page');

    expect(answer.status).toBe(200);
    expectPolicies(answer.headers, { ...POLICIES, 'content-security-policy': "default-src 'self'" });
  });
});
