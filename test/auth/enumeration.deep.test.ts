import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintToken } from '../../src/secrets/token.js';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { wholeAnswer } from '../support/answers.js';
import { crowd, emptyOrg, invitationFor } from '../support/crowd.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
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
  'of another language': `locale = 'ar-XB', time_zone = 'Asia/Tokyo'`,
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

/** What a stranger signs up with. */
const SIGNUP_PASSWORD = 'a guess of a stranger';

/** Requests about an address, whose answers may reveal nothing of its account. */
const REQUESTS: Record<string, [string, (email: string) => object | Promise<object>]> = {
  'POST /auth/login': ['/auth/login', (email) => ({ email, password: 'not the password' })],
  'POST /auth/signup': ['/auth/signup', (email) => ({ email, password: PASSWORD })],
  'POST /auth/signup-org': [
    '/auth/signup-org',
    (email) => ({ email, password: PASSWORD, org_name: 'Initech' }),
  ],
  'POST /password/forgot': ['/password/forgot', (email) => ({ email })],
  'POST /auth/email-code': ['/auth/email-code', (email) => ({ email })],
  'POST /auth/verify-email/resend': ['/auth/verify-email/resend', (email) => ({ email })],
  'POST /auth/signup, repeated in one browser,': [
    '/auth/signup',
    async (email) => ({ email: await signedUpWith(email), password: 'another guess of a stranger' }),
  ],
  'POST /auth/login, after a signup,': [
    '/auth/login',
    async (email) => ({ email: await signedUpWith(email), password: SIGNUP_PASSWORD }),
  ],
  'POST /auth/login, after a signup and with another password,': [
    '/auth/login',
    async (email) => ({ email: await signedUpWith(email), password: 'not the password' }),
  ],
  'POST /auth/verify-email/resend, after a signup,': [
    '/auth/verify-email/resend',
    async (email) => ({ email: await signedUpWith(email, '61 seconds') }),
  ],
};

/** The browser of the stranger. */
const COOKIE = `session_id_signup=${mintToken()}; session_id_code=${mintToken()}`;

/** The address, with which a stranger has signed up. */
async function signedUpWith(email: string, ago = '0 seconds'): Promise<string> {
  await app.browser({ cookie: COOKIE }).post('/auth/signup', { email, password: SIGNUP_PASSWORD });
  await until(async () => !(await app.database.value('SELECT EXISTS (SELECT FROM link_requests)')));
  await app.database.rows('UPDATE signups SET mail_asked_at = now() - $2::interval WHERE email = $1', [
    email,
    ago,
  ]);
  return email;
}

/** Requests of the holder of an invitation: the answer reveals whether there is an account, and nothing else of it. */
const INVITED: Record<string, (email: string) => Promise<object>> = {
  '/invitations/preview': async (email) => ({ token: await tokenOf(email) }),
  '/invitations/accept': async (email) => ({ token: await tokenOf(email), password: PASSWORD }),
};

/** An answer without the parts that differ in any two: times, what is left of a limit, and the address itself. */
async function answerTo(path: string, email: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json', 'accept-language': 'en-XA', cookie: COOKIE };
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
    app = await TestApp.start({
      ...mailapi.variables,
      SVC_LOCALES: 'en,en-XA,ar-XB',
      SVC_RATE_LIMITS: 'on',
      SVC_EMAIL_CODE_LOGIN: 'on',
      SVC_LIMIT_EMAIL_CODE_PER_NETWORK: '1000/1h',
      SVC_LIMIT_SIGNUP_PER_NETWORK: '1000/1h',
      SVC_LIMIT_RESEND_PER_NETWORK: '1000/1h',
      SVC_LIMIT_MAIL_PER_ADDRESS: '5/1h',
    });
    if (mail === 'up') return;

    mailapi.answer(DOWN);
    await app.browser().post('/password/forgot', { email: await addressOf('known') });
    await until(() => app.database.value('SELECT EXISTS (SELECT FROM mail_outages)'));
  });
  afterAll(async () => {
    await app.close();
    await mailapi.close();
  });

  it.each(Object.keys(REQUESTS))('%s answers byte for byte alike, whatever the account', async (name) => {
    const [path, bodyFor] = REQUESTS[name] as (typeof REQUESTS)[string];
    const answer = async (email: string) => answerTo(path, email, await bodyFor(email));

    const unknown = await answer(freshAddress());

    for (const kind of Object.keys(ACCOUNTS))
      expect([kind, await answer(await addressOf(kind))]).toEqual([kind, unknown]);
  });

  it.each(Object.keys(REQUESTS))('%s runs the same statements, whatever the account', async (name) => {
    const [path, bodyFor] = REQUESTS[name] as (typeof REQUESTS)[string];
    const statements = async (email: string) => {
      const body = await bodyFor(email);
      return statementsDuring(() => answerTo(path, email, body));
    };

    const unknown = await statements(freshAddress());

    for (const kind of Object.keys(ACCOUNTS))
      expect([kind, await statements(await addressOf(kind))]).toEqual([kind, unknown]);
  });

  it.each(Object.keys(INVITED))('POST %s reveals of an account only that it exists', async (path) => {
    const answer = async (email: string) => answerTo(path, email, (await INVITED[path]?.(email)) ?? {});

    const known = await answer(await addressOf('known'));

    for (const kind of Object.keys(ACCOUNTS))
      expect([kind, await answer(await addressOf(kind))]).toEqual([kind, known]);
  });
});
