import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { CLIENT_PACKAGE } from '../../src/openapi/client-package.js';
import type { Answer } from '../support/browser.js';
import { bodyFields, document, operations } from '../support/document.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';

/** The routes that serve the document and pages for people. */
const LEFT_OUT = [
  'GET /.well-known/change-password',
  'GET /system/connection',
  'GET /dev/mail',
  'GET /dev/mail.json',
  'GET /dev/mail/{file}',
  'GET /dev/mail/preview',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/start.js',
  `GET /docs/${CLIENT_PACKAGE}`,
  'GET /docs/swagger-ui.css',
  'GET /docs/swagger-ui-bundle.js',
  'GET /docs/favicon-32x32.png',
];

/** What B2B alone has. */
const B2B_ONLY = '/orgs/{org_id}/members/{user_id}/factors';

/** Opens every route of B2C. */
const EVERYTHING = {
  ...TOKENS,
  SVC_ACTING: 'on',
  SVC_EMAIL_CODE_LOGIN: 'on',
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_CLIENT_SECRET: 'the secret of the client',
  SVC_STRIPE_SECRET_KEY: 'sk_test_never_presented',
  SVC_STRIPE_WEBHOOK_SECRET: 'whsec_never_presented',
  SVC_STRIPE_API_BASE: 'http://127.0.0.1:1',
  SVC_AI_API_KEY: 'sk-never-presented',
  SVC_AI_BASE_URL: 'http://127.0.0.1:1',
  SVC_CRON_SECRET: 'the secret of the scheduler and of the tests',
  SVC_METRICS_TOKEN: 'the token of Prometheus and of the tests',
};

@Controller('reports')
class ReportsController {
  @Get()
  list() {
    return {};
  }
}

/** A product as it is built on this service. */
@Module({ controllers: [ReportsController] })
class ProductModule {}

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('the OpenAPI document', () => {
  /** The document of a service with other settings. */
  async function servedWith(variables: Record<string, string>) {
    const other = await TestApp.start(variables, { database: app.database });
    const answer = await other.browser().get('/openapi.json');
    await other.nest.close();
    return answer;
  }
  const pathsOf = ({ body }: Answer) => Object.keys(body.paths);
  const { [B2B_ONLY]: _, ...pathsInB2C } = document.paths;

  it('is served as JSON, with every route of B2C where the settings open every route', async () => {
    const { status, body } = await servedWith(EVERYTHING);

    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(JSON.stringify({ ...document, paths: pathsInB2C })));
  });

  it('is served without signups and founders in B2B', async () => {
    const inB2B = pathsOf(await servedWith({ ...EVERYTHING, SVC_APP_MODE: 'b2b' }));

    const missing = Object.keys(document.paths).filter((path) => !inB2B.includes(path));
    expect(missing.sort()).toEqual(['/auth/signup', '/auth/signup-org', '/users/me/org']);
  });

  it.each([
    [
      'SVC_IDP_CLIENT_ID',
      [
        '/auth/oauth/{provider}/authorize-url',
        '/auth/oauth/{provider}/callback',
        '/users/me/identities/{provider}/authorize-url',
      ],
    ],
    [
      'SVC_STRIPE_SECRET_KEY',
      [
        '/subscription',
        '/subscription/checkout',
        '/subscription/customers',
        '/subscription/customers/{id}/reconcile',
        '/subscription/portal',
        '/subscription/prices',
        '/subscription/webhook',
      ],
    ],
    ['SVC_AI_API_KEY', ['/ai/activity-summary']],
    ['SVC_ACTING', ['/auth/stop-acting', '/users/{id}/act']],
    ['SVC_EMAIL_CODE_LOGIN', ['/auth/email-code', '/auth/email-code/login', '/auth/step-up/code']],
    ['SVC_CRON_SECRET', ['/cron']],
    ['SVC_METRICS_TOKEN', ['/metrics']],
    ['SVC_TOKEN_KEYS', ['/.well-known/jwks.json', '/sessions/token']],
  ])('is served without what a missing %s closes', async (setting, closed) => {
    const { [setting]: _, ...others } = EVERYTHING as Record<string, string>;
    const answer = await servedWith(others);

    const missing = Object.keys(pathsInB2C).filter((path) => !pathsOf(answer).includes(path));
    expect(missing.sort()).toEqual(closed);
    expect(answer.body.components.securitySchemes).not.toHaveProperty(setting);
    const used = Object.values(answer.body.paths as Record<string, Record<string, { tags: string[] }>>)
      .flatMap((path) => Object.values(path))
      .flatMap(({ tags }) => tags);
    const listed = answer.body.tags.map(({ name }: { name: string }) => name);
    expect(new Set(listed)).toEqual(new Set(used));
  });

  it('has every route except those that serve it, and the pages', () => {
    const routes = app.routes.filter((route) => !/^(HEAD|OPTIONS) | \/$| \/(ui|admin)(\/|$)/.test(route));
    const isOfAnyMethod = (route: string) => route.endsWith(' /sessions/verify') && !route.startsWith('GET ');
    const served = routes
      .filter((route) => !isOfAnyMethod(route))
      .map((route) => route.replace(/:(\w+)/g, '{$1}'));

    expect([...operations.map(({ name }) => name), ...LEFT_OUT].sort()).toEqual(served.sort());
  });

  it('names each operation once, and groups it in a section of the contract', () => {
    const ids = operations.map(({ operationId }) => operationId);
    const sections = document.tags.map(({ name }) => name);

    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, tags } of operations)
      expect([name, sections]).toEqual([name, expect.arrayContaining(tags)]);
  });

  it('lists the section of a product beside those of the contract', async () => {
    const product = await TestApp.start(
      {},
      {
        database: app.database,
        product: { modules: [ProductModule] },
      },
    );
    const { body } = await product.browser().get('/openapi.json');
    await product.nest.close();

    expect(body.paths['/reports'].get.tags).toEqual(['reports']);
    expect(body.tags).toContainEqual({ name: 'reports' });
  });

  it('says for each operation how its caller authenticates', () => {
    const securityOf = (name: string) => operations.find((operation) => operation.name === name)?.security;

    expect(document.components.securitySchemes).toEqual({
      session: { type: 'apiKey', in: 'cookie', name: 'session_id' },
      pendingLogin: { type: 'apiKey', in: 'cookie', name: 'session_id_pending' },
      SVC_METRICS_TOKEN: { type: 'http', scheme: 'bearer' },
      SVC_CRON_SECRET: { type: 'http', scheme: 'bearer' },
    });
    expect(securityOf('POST /auth/login')).toEqual([]);
    expect(securityOf('GET /users/me')).toEqual([{ session: [] }]);
    expect(securityOf('GET /auth/pending-login')).toEqual([{ pendingLogin: [] }]);
    expect(securityOf('POST /auth/logout')).toEqual([{ session: [] }, { pendingLogin: [] }]);
    expect(securityOf('POST /cron')).toEqual([{ SVC_CRON_SECRET: [] }]);
    expect(securityOf('POST /invitations/accept')).toEqual([{}, { session: [] }]);
  });

  it('describes a body by the rules that check it', () => {
    const signup = operations.find(({ name }) => name === 'POST /auth/signup');

    expect(signup?.requestBody?.content['application/json'].schema).toMatchObject({
      required: ['email', 'password'],
      additionalProperties: false,
      properties: {
        email: { type: 'string', format: 'email', maxLength: 254 },
        password: { type: 'string', maxLength: 256 },
        name: { type: ['string', 'null'], maxLength: 200 },
      },
    });
  });

  it('describes a query by the rules that check it', () => {
    const users = operations.find(({ name }) => name === 'GET /users');

    expect(users?.parameters).toEqual(
      expect.arrayContaining([
        {
          in: 'query',
          name: 'limit',
          required: false,
          schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
        },
        {
          in: 'query',
          name: 'role',
          required: false,
          schema: expect.objectContaining({ enum: expect.arrayContaining(['member']) }),
        },
      ]),
    );
  });

  it('has an example of every problem it refers to', () => {
    for (const [code, { value }] of Object.entries(document.components.examples))
      expect(value).toMatchObject({
        code,
        type: `http://localhost:3000/problems/${code}`,
        detail: expect.any(String),
      });

    const referred = JSON.stringify(document.paths).matchAll(/#\/components\/examples\/(\w+)/g);
    expect(new Set([...referred].map(([, code]) => code))).toEqual(
      new Set(Object.keys(document.components.examples)),
    );
  });
});

describe.each(operations)('$name', ({ operationId, summary, responses, parameters, ...operation }) => {
  it('has @Operation and @Answers on its handler', () => {
    expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    expect(summary).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([expect.stringMatching(/^[23]/)]));
  });

  it('accepts nothing that the rules do not describe', () => {
    const fields = bodyFields(operation).map(([, schema]) => schema);
    const schemas = [...fields, ...parameters.map(({ schema }) => schema)];

    for (const schema of schemas) expect(schema).toHaveProperty('type');
  });
});
