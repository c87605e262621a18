import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_ROUTES, ROUTES } from '../../src/client/contract.js';
import { createLatchkey, LatchkeyProblem } from '../../src/client/latchkey.js';
import { loggedInAs } from '../support/accounts.js';
import { answering, bodyFields, operations } from '../support/document.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';
import { until } from '../support/until.js';
import { CookieJar } from './cookie-jar.js';

const ALL_ROUTES = { ...ROUTES, ...ADMIN_ROUTES };

/** Opens every route that a setting opens. */
const EVERYTHING = {
  ...TOKENS,
  SVC_EMAIL_CODE_LOGIN: 'on',
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_CLIENT_SECRET: 'the secret of the client',
  SVC_STRIPE_SECRET_KEY: 'sk_test_never_presented',
  SVC_STRIPE_WEBHOOK_SECRET: 'whsec_never_presented',
  SVC_STRIPE_API_BASE: 'http://127.0.0.1:1',
  SVC_AI_API_KEY: 'sk-never-presented',
  SVC_AI_BASE_URL: 'http://127.0.0.1:1',
};

/** The routes that only machines call: with a bearer secret, a signature or a redirect, or as a proxy or a probe. */
const LEFT_OUT = [
  // Called by their routes, as few pages need them.
  'GET /permissions',
  'GET /users/me/export',
  'POST /auth/stop-acting',
  'POST /auth/step-up/code',
  'POST /users/{id}/act',
  'GET /orgs/{org_id}/roles',
  'POST /orgs/{org_id}/roles',
  'PATCH /orgs/{org_id}/roles/{id}',
  'DELETE /orgs/{org_id}/roles/{id}',
  'GET /.well-known/jwks.json',
  'GET /audit-events/export',
  'GET /auth/oauth/{provider}/callback',
  'GET /cron',
  'GET /health/live',
  'GET /health/ready',
  'GET /mails/preview.html',
  'GET /metrics',
  'GET /orgs/{org_id}/members/export',
  'GET /sessions/verify',
  'GET /users/export',
  'POST /cron',
  'POST /subscription/webhook',
];

const SOME_ID = '01a1fab1-b331-7244-ab8e-0fcc455f8898';

interface Served {
  app: TestApp;
  url: string;
}

let b2c: Served;
let b2b: Served;
beforeAll(async () => {
  b2c = await served(await TestApp.start(EVERYTHING));
  b2b = await served(
    await TestApp.start({ ...EVERYTHING, SVC_APP_MODE: 'b2b' }, { database: b2c.app.database }),
  );
});
afterAll(async () => {
  await b2b.app.nest.close();
  await b2c.app.close();
});

async function served(app: TestApp): Promise<Served> {
  return { app, url: `http://127.0.0.1:${await app.listen()}` };
}

const inFastify = (route: string) => route.replace(/\{(\w+)\}/g, ':$1');
const has = ({ app }: Served, route: string) => app.routes.includes(inFastify(route));

describe('the client', () => {
  it('has a name for every operation that a front end calls', () => {
    const named = operations.map(({ name }) => name).filter((route) => !LEFT_OUT.includes(route));

    expect(Object.values(ALL_ROUTES).sort()).toEqual(named.sort());
  });

  it('leaves to the part for admins what the service lets only them call', () => {
    const forAdmins = operations
      .filter(({ description }) => /`(org_admin|sys_admin)`/.test(description ?? ''))
      .map(({ name }) => name)
      .filter((route) => !LEFT_OUT.includes(route));

    expect(Object.values(ADMIN_ROUTES).sort()).toEqual(forAdmins.sort());
    expect(createLatchkey('http://localhost:3000')).not.toHaveProperty('updateUser');
  });

  it('takes each field of an operation for the path, the query or the body', () => {
    for (const { name, parameters, ...operation } of operations) {
      const fields = [
        ...parameters.map((parameter) => parameter.name),
        ...bodyFields(operation).map(([field]) => field),
      ];
      expect([name, new Set(fields).size]).toEqual([name, fields.length]);
    }
  });
});

describe.each(Object.entries(ALL_ROUTES))('%s', (operationId, route) => {
  it(`calls ${route} with all that it takes, and gets one of its answers`, async () => {
    const { app, url } = has(b2c, route) ? b2c : b2b;
    const jar = new CookieJar(await loggedInAs(app, 'sys_admin'));
    const sent: { url: URL; init: RequestInit }[] = [];
    const latchkey = jar.tab(url, {
      fetch: (address, init = {}) => {
        sent.push({ url: new URL(String(address)), init });
        return jar.fetch(address, init);
      },
    });
    const expected = expectedOf(route);
    const call = latchkey[operationId as 'login'] as (input: object) => Promise<unknown>;
    const linesBefore = app.log.length;
    const problem = await call({ ...expected.path, ...expected.query, ...expected.body }).then(
      () => null,
      (error: unknown) => error,
    );

    const [{ url: address, init }] = sent as [(typeof sent)[0]];
    const path = route.replace(
      /^.* |\{(\w+)\}/g,
      (_, name?: string) => (name ? expected.path[name] : '') ?? '',
    );
    expect(`${init.method} ${address.pathname}`).toBe(`${route.split(' ')[0]} ${path}`);
    expect(Object.fromEntries(address.searchParams)).toEqual(expected.query);
    expect(JSON.parse(String(init.body ?? '{}'))).toEqual(expected.body);
    // A line about something else may come after it.
    const served = `"route":"${inFastify(route).split(' ')[1]}"`;
    await until(() => app.log.slice(linesBefore).some((line) => line.includes(served)));
    if (problem !== null) {
      expect(problem).toBeInstanceOf(LatchkeyProblem);
      expect(answering((problem as LatchkeyProblem).code).map(({ name }) => name)).toContain(route);
    }
  });
});

/** Something for each field of an operation, and where it belongs. */
function expectedOf(route: string): Record<'path' | 'query' | 'body', Record<string, string>> {
  const { parameters = [], ...operation } = operations.find(({ name }) => name === route) ?? {};
  const within = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const inPath = within('path').map(({ name }) => [name, name === 'provider' ? 'idp' : SOME_ID]);
  const inQuery = within('query').map(({ name }) => [name, 'a query']);
  const inBody = bodyFields(operation as (typeof operations)[0]).map(([name]) => [name, 'a value']);
  return {
    path: Object.fromEntries(inPath),
    query: Object.fromEntries(inQuery),
    body: Object.fromEntries(inBody),
  };
}
