import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedInAs } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import type { Browser } from '../support/browser.js';
import { operations } from '../support/document.js';
import { TestApp } from '../support/test-app.js';

const CRON_SECRET = 'the secret of the scheduler and of the tests';

/** Opens every route that takes a query. */
const EVERYTHING = {
  SVC_CRON_SECRET: CRON_SECRET,
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_CLIENT_SECRET: 'the secret of the client',
  SVC_STRIPE_SECRET_KEY: 'sk_test_never_presented',
  SVC_STRIPE_WEBHOOK_SECRET: 'whsec_never_presented',
};

let app: TestApp;
let admin: Browser;
beforeAll(async () => {
  app = await TestApp.start(EVERYTHING);
  admin = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());

/** Every operation that takes a query. */
const ASKED = operations.filter(({ parameters }) =>
  parameters?.some((parameter) => parameter.in === 'query'),
);

const ask = (url: string, method: 'GET' | 'POST' | 'PATCH' | 'DELETE' = 'GET') =>
  app.nest.inject({
    method,
    url,
    headers: { cookie: `session_id=${admin.jar.get('session_id')}`, authorization: `Bearer ${CRON_SECRET}` },
  });

describe('a parameter that no route names', () => {
  it.each(['x', 'constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'])(
    'is refused on every route with a query: %s',
    async (name) => {
      expect(ASKED.length).toBeGreaterThan(12);
      for (const { method, path } of ASKED) {
        const url = path
          .replace('{provider}', 'idp')
          .replace(/{\w+}/g, '01a1fab1-b331-7244-ab8e-0fcc455f8898');
        const { errors } = expectProblem(await ask(`${url}?${name}=1`, method), 400, 'ValidationFailed');
        // A parameter that the route requires is missing here, and named beside the unknown one.
        expect([path, errors]).toEqual([
          path,
          expect.arrayContaining([
            {
              field: name,
              messages: ['is not a field of this request'],
              reasons: [{ code: 'unknown_field' }],
            },
          ]),
        ]);
      }
    },
  );
});

describe('a query of more than 200 values', () => {
  it.each([
    ['of many names', (index: number) => `a${index}`],
    ['of one name', () => 'ids'],
  ])('is refused as a whole: %s', async (_, nameOf) => {
    const query = Array.from({ length: 201 }, (_, index) => `${nameOf(index)}=1`).join('&');
    const { errors } = expectProblem(await ask(`/users?${query}`), 400, 'ValidationFailed');
    expect(errors).toEqual([
      { field: 'query', messages: ['has too many values'], reasons: [{ code: 'too_many_values' }] },
    ]);
  });
});
