import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { wholeAnswer } from '../support/closed-path.js';
import { crowd } from '../support/crowd.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { emptyOrg, invitationFor } from '../support/past-the-mail.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const DOWN = { status: 503 };

let app: TestApp;

/** What an account may be, in the words of SQL. */
const ACCOUNTS: Record<string, string> = {
  known: 'name = name',
  unverified: 'email_verified_at = NULL',
  'identity-only': 'password_hash = NULL, password_changed_at = NULL',
  disabled: 'disabled_at = now()',
};

/** The address of a new account of a kind. */
async function addressOf(kind: string): Promise<string> {
  const [person] = await crowd(app.database, 1);
  const email = person?.email ?? '';
  await app.database.rows(`UPDATE users SET ${ACCOUNTS[kind]} WHERE email = $1`, [email]);
  return email;
}

/** The token of an invitation that went to an address. */
async function tokenOf(email: string): Promise<string> {
  return invitationFor(app.database, email, await emptyOrg(app.database));
}

/** What is posted about an address, and may tell nothing of it. */
const REQUESTS: Record<string, (email: string) => object | Promise<object>> = {
  '/auth/login': (email) => ({ email, password: 'not the password' }),
  '/auth/signup': (email) => ({ email, password: PASSWORD }),
  '/auth/signup-org': (email) => ({ email, password: PASSWORD, org_name: 'Initech' }),
  '/password/forgot': (email) => ({ email }),
  '/auth/verify-email/resend': (email) => ({ email }),
};

/** What the holder of an invitation posts: it is told whether there is an account, and nothing else of it. */
const INVITED: typeof REQUESTS = {
  '/invitations/preview': async (email) => ({ token: await tokenOf(email) }),
  '/invitations/accept': async (email) => ({ token: await tokenOf(email), password: PASSWORD }),
};

/** All of an answer but what no two answers share: times, what is left of a limit, and the address itself. */
async function answerTo(path: string, email: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await wholeAnswer(app, path, { method: 'POST', headers, payload: JSON.stringify(body) });
  return JSON.stringify(answer)
    .replaceAll(email, '(address)')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(instant)')
    .replace(/;(r|t)=\d+/g, ';$1=(left)');
}

describe.each(['up', 'down'])('while mail is %s,', (mail) => {
  let mailapi: MailapiStandIn;
  beforeAll(async () => {
    mailapi = await MailapiStandIn.start();
    app = await TestApp.start({ ...mailapi.variables, SVC_RATE_LIMITS: 'on' });
    if (mail === 'up') return;

    mailapi.answer(DOWN);
    await app.browser().post('/password/forgot', { email: await addressOf('known') });
    await until(() => app.database.value('SELECT EXISTS (SELECT FROM mail_outages)'));
  });
  afterAll(async () => {
    await app.close();
    await mailapi.close();
  });

  it.each(Object.keys(REQUESTS))(
    'POST %s answers byte for byte alike, whatever the account',
    async (path) => {
      const answer = async (email: string) => answerTo(path, email, (await REQUESTS[path]?.(email)) ?? {});

      const unknown = await answer(freshAddress());

      for (const kind of Object.keys(ACCOUNTS))
        expect([kind, await answer(await addressOf(kind))]).toEqual([kind, unknown]);
    },
  );

  it.each(Object.keys(REQUESTS))('POST %s asks the database the same, whatever the account', async (path) => {
    const statements = async (email: string) => {
      const body = (await REQUESTS[path]?.(email)) ?? {};
      const asked = await statementsDuring(() => answerTo(path, email, body));
      return asked.map((statement) => statement.replace(/^(RELEASE|ROLLBACK TO) /, ''));
    };

    const unknown = await statements(freshAddress());

    for (const kind of Object.keys(ACCOUNTS))
      expect([kind, await statements(await addressOf(kind))]).toEqual([kind, unknown]);
  });

  it.each(Object.keys(INVITED))('POST %s tells nothing of an account but that there is one', async (path) => {
    const answer = async (email: string) => answerTo(path, email, (await INVITED[path]?.(email)) ?? {});

    const known = await answer(await addressOf('known'));

    for (const kind of Object.keys(ACCOUNTS))
      expect([kind, await answer(await addressOf(kind))]).toEqual([kind, known]);
  });
});
