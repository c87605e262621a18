import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedInAs, PASSWORD } from '../support/accounts.js';
import { appOwner } from '../support/authenticator-app.js';
import type { Answer, Browser } from '../support/browser.js';
import { answering, bodyFields, type Operation } from '../support/document.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { signatureOf } from '../support/stripe/webhooks.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';

const SECRET = 'a secret of 32 characters that two machines share';

/** The settings without which a path is closed. */
const OPEN = {
  ...TOKENS,
  SVC_ACTING: 'on',
  SVC_EMAIL_CODE_LOGIN: 'on',
  SVC_CRON_SECRET: SECRET,
  SVC_METRICS_TOKEN: SECRET,
  SVC_STRIPE_SECRET_KEY: 'sk_test_1',
  SVC_STRIPE_WEBHOOK_SECRET: StripeStandIn.signingSecret,
  SVC_IDP_CLIENT_ID: 'latchkey',
  SVC_IDP_CLIENT_SECRET: 'secret',
  SVC_AI_API_KEY: 'sk-never-presented',
  SVC_AI_BASE_URL: 'http://127.0.0.1:1',
};

let app: TestApp;
let b2b: TestApp;
let inB2C: Browser;
let inB2B: Browser;
beforeAll(async () => {
  app = await TestApp.start(OPEN);
  b2b = await TestApp.start({ ...OPEN, SVC_APP_MODE: 'b2b' }, { database: app.database });
  inB2C = await loggedInAs(app, 'sys_admin');
  const pending = app.browser();
  await pending.post('/auth/login', { email: (await appOwner(app)).email, password: PASSWORD });
  inB2C.jar.set('session_id_pending', pending.jar.get('session_id_pending') ?? '');
  inB2B = b2b.browser();
  for (const cookie of inB2C.jar) inB2B.jar.set(...cookie);
});
afterAll(async () => {
  await b2b.nest.close();
  await app.close();
});

/** What the webhook takes for its bytes; the document cannot have an example that is signed. */
const EVENT = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  livemode: false,
  type: 'customer.updated',
  data: { object: { id: 'cus_1', object: 'customer' } },
});

interface Changes {
  id?: string;
  query?: string;
  body?: string;
  headers?: Record<string, string>;
}

/** Calls an operation as a caller who may do everything, with the examples of the document but for some changes. */
function call(operation: Operation, { id, query = '', body, headers }: Changes = {}): Promise<Answer> {
  const path = operation.path.replace('{provider}', 'idp');
  const url = path.replace(/{\w+}/g, id ?? '01890000-0000-7000-8000-000000000000') + query;
  const proof = { authorization: `Bearer ${SECRET}`, 'stripe-signature': signatureOf(EVENT) };
  const browser = operation.path.endsWith('{user_id}/factors') ? inB2B : inB2C;
  return browser.send(operation.method, url, body ?? exampleBody(operation), { ...proof, ...headers });
}

function exampleBody(operation: Operation): object | string | undefined {
  if (operation.path === '/subscription/webhook') return EVENT;
  const all = bodyFields(operation);
  // A mailed code stands in for the token.
  const given = all.some(([name]) => name === 'token') ? all.filter(([name]) => name !== 'code') : all;
  const fields = given.map(([name, { examples, enum: values }]) => {
    const [example = true] = (examples ?? values ?? []) as unknown[];
    return [name, example];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

/** Requests that every operation refuses, by the code of the problem. */
const REFUSED: Record<string, (operation: Operation) => Changes> = {
  MalformedBody: () => ({ body: '{' }),
  PayloadTooLarge: ({ path }) => ({
    body: ' '.repeat((path === '/subscription/webhook' ? 256 : 64) * 1024 + 1),
  }),
  UnsupportedMediaType: () => ({ body: 'email=a', headers: { 'content-type': 'text/plain' } }),
  ValidationFailed: ({ method }) => ({
    id: 'no-id',
    query: '?no_such_field=1',
    headers: { 'latchkey-org': 'no-id' },
    ...(method !== 'GET' && { body: '[]' }),
  }),
  OriginNotAllowed: () => ({ headers: { origin: 'https://evil.example' } }),
};

describe.each(Object.entries(REFUSED))('%s', (code, changes) => {
  it.each(answering(code))('is the answer of $name', async (operation) => {
    expect((await call(operation, changes(operation))).body.code).toBe(code);
  });
});

describe('SessionRenewed', () => {
  /** The token of before a step-up, with which requests may still have been under way. */
  let former: string;
  let fresh: string;
  beforeAll(async () => {
    former = inB2C.jar.get('session_id') ?? '';
    const { status } = await inB2C.post('/auth/step-up', { password: PASSWORD });
    if (status !== 200) throw new Error(`the step-up answered ${status}`);
    fresh = inB2C.jar.get('session_id') ?? '';
    present(former);
  });
  afterAll(() => present(fresh));

  const present = (token: string) => {
    for (const browser of [inB2C, inB2B]) browser.jar.set('session_id', token);
  };

  it.each(answering('SessionRenewed'))('is the answer of $name', async (operation) => {
    expect((await call(operation)).body.code).toBe('SessionRenewed');
  });
});

describe('InternalError', () => {
  beforeAll(() => app.database.rows('ALTER SCHEMA public RENAME TO mislaid'));
  afterAll(() => app.database.rows('ALTER SCHEMA mislaid RENAME TO public'));

  /** Public, and asks the database for nothing but the time. */
  const asksTheTime = ({ path }: Operation) => path === '/auth/passkey/options';

  it.each(answering('InternalError').filter((operation) => !asksTheTime(operation)))(
    'is the answer of $name without its tables',
    async (operation) => {
      expect((await call(operation)).body.code).toBe('InternalError');
    },
  );

  it.each(answering('InternalError').filter(asksTheTime))(
    'is the answer of $name without the time',
    async (operation) => {
      await app.database.rows('REVOKE EXECUTE ON FUNCTION pg_catalog.now() FROM PUBLIC');
      const { body } = await call(operation);
      await app.database.rows('GRANT EXECUTE ON FUNCTION pg_catalog.now() TO PUBLIC');
      expect(body.code).toBe('InternalError');
    },
  );
});

describe('ServiceUnavailable', () => {
  beforeAll(() => app.database.takeDown());
  afterAll(() => app.database.bringUp());

  it.each(answering('ServiceUnavailable'))(
    'is the answer of $name without its database',
    async (operation) => {
      expect((await call(operation)).body.code).toBe('ServiceUnavailable');
    },
  );
});
