import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyFields, document, operations } from '../support/document.js';
import { TestApp } from '../support/test-app.js';

/** What serves the document, and pages for people. */
const LEFT_OUT = [
  'GET /dev/mail',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/start.js',
  'GET /docs/swagger-ui.css',
  'GET /docs/swagger-ui-bundle.js',
  'GET /docs/favicon-32x32.png',
];

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('the OpenAPI document', () => {
  it('is served as JSON', async () => {
    const { status, body } = await app.browser().get('/openapi.json');

    expect(status).toBe(200);
    expect(body).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('has every route but those that show it', () => {
    const routes = app.routes.filter((route) => !/^(HEAD|OPTIONS) /.test(route));
    const served = routes.map((route) => route.replace(/:(\w+)/g, '{$1}'));

    expect([...operations.map(({ name }) => name), ...LEFT_OUT].sort()).toEqual(served.sort());
  });

  it('names each operation once, and groups it in a section of the contract', () => {
    const ids = operations.map(({ operationId }) => operationId);
    const sections = document.tags.map(({ name }) => name);

    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, tags } of operations)
      expect([name, sections]).toEqual([name, expect.arrayContaining(tags)]);
  });

  it('says how each operation is called by whom', () => {
    const securityOf = (name: string) => operations.find((operation) => operation.name === name)?.security;

    expect(document.components.securitySchemes).toEqual({
      session: { type: 'apiKey', in: 'cookie', name: 'session_id' },
      SVC_METRICS_TOKEN: { type: 'http', scheme: 'bearer' },
      SVC_CRON_SECRET: { type: 'http', scheme: 'bearer' },
    });
    expect(securityOf('POST /auth/login')).toEqual([]);
    expect(securityOf('GET /users/me')).toEqual([{ session: [] }]);
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

describe.each(operations)('$name', ({ summary, responses, parameters, ...operation }) => {
  it('has a @Summary and @Answers on its handler', () => {
    expect(summary).toMatch(/^[A-Z].*\.$/);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([expect.stringMatching(/^[23]/)]));
  });

  it('takes nothing that the rules do not describe', () => {
    const fields = bodyFields(operation).map(([, schema]) => schema);
    const schemas = [...fields, ...parameters.map(({ schema }) => schema)];

    for (const schema of schemas) expect(schema).toHaveProperty('type');
  });
});
