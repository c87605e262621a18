import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  activeSessions,
  freshAddress,
  loggedIn,
  loggedInAs,
  PASSWORD,
  signedUp,
  verified,
} from '../support/accounts.js';
import { detailsOf, eventsAfter } from '../support/audit.js';
import { addApp, appOwner, forgetSteps, SECOND_FACTOR as STEP } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import { linkFor } from '../support/crowd.js';
import {
  ASK,
  asksToLogIn,
  LOGIN,
  loggedInByMail,
  logIn,
  WITH_EMAIL_CODES,
  wrong,
} from '../support/email-codes.js';
import { linkIn } from '../support/mails.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { digitsOf } from '../support/typing.js';

const INVALID = { status: 400, body: { code: 'InvalidCode' } };
const CODE = 'AAAA-AAAA';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ ...WITH_EMAIL_CODES, SVC_LOCALES: 'en,de' });
});
afterAll(() => app.close());

const idOf = (email: string) => app.database.value('SELECT id FROM users WHERE email = $1', [email]);

const sessionIn = async (browser: Browser) => (await browser.get('/users/me')).body?.session;

describe('a service without SVC_EMAIL_CODE_LOGIN', () => {
  let off: TestApp;
  beforeAll(async () => {
    off = await TestApp.start();
  });
  afterAll(() => off.close());

  it.each([
    [ASK, { email: 'ada@example.com' }],
    [LOGIN, { code: CODE }],
  ])('has no POST %s', async (path, body) => {
    expect(await off.browser().post(path, body)).toMatchObject({ status: 404, body: { code: 'NotFound' } });
  });

  it.each(['on', 'off'])('says at /auth/methods whether it is %s', async (setting) => {
    const service = setting === 'on' ? app : off;
    expect((await service.browser().get('/auth/methods')).body.email_code).toBe(setting === 'on');
  });
});

describe('POST /auth/email-code', () => {
  it('mails a code and a link that holds the code, not in the subject', async () => {
    const { email, code } = await asksToLogIn(app);
    const mail = await app.mailbox.last(email);

    expect(mail.subject).toBe('Log in to Latchkey');
    expect(new URL(linkIn(mail)).pathname).toBe('/login-code');
    expect(new URL(linkIn(mail)).searchParams.get('code')).toBe(code);
    expect(mail.text).toContain(`\n\n${code}\n\nOnly enter this code where you asked for it.`);
    expect(mail.text).not.toContain('token=');
  });

  it('sets a cookie that scripts cannot use, and names no account', async () => {
    const answer = await app.browser().post(ASK, { email: await verified(app) });
    expect(answer).toMatchObject({ status: 202, text: '' });
    expect(answer.cookies).toEqual([
      expect.stringMatching(/^session_id_code=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('mails in the language of the account, else in that of the request', async () => {
    const email = await verified(app);
    await app.browser({ 'accept-language': 'de' }).post(ASK, { email });
    expect((await app.mailbox.last(email)).subject).toBe('Bei Latchkey anmelden');
    await app.database.rows(`UPDATE users SET locale = 'en' WHERE email = $1`, [email]);
    await app.browser({ 'accept-language': 'de' }).post(ASK, { email });
    expect((await app.mailbox.last(email)).subject).toBe('Log in to Latchkey');
  });

  it('makes no account, and mails nothing to an address without one, or whose account is disabled', async () => {
    const disabled = await verified(app);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [disabled]);
    const waiting = await signedUp(app);
    for (const email of [freshAddress(), disabled, waiting]) {
      const mailsBefore = (await app.mailbox.to(email)).length;
      expect((await app.browser().post(ASK, { email })).status).toBe(202);
      expect(await app.mailbox.to(email)).toHaveLength(mailsBefore);
    }
    expect(await idOf(waiting)).toBeUndefined();
  });

  it('records who asked, where there is an account', async () => {
    const email = await verified(app);
    const events = await eventsAfter(app, () => asksToLogIn(app, email));
    expect(events).toMatchObject([
      { type: 'email_code.requested', user_id: await idOf(email), actor_id: null, ip: '127.0.0.1' },
    ]);
  });

  it.each([{}, { email: 'nobody' }, { email: 7 }, { email: 'ada@example.com', code: CODE }])(
    'refuses the body %j',
    async (body) => {
      expect(await app.browser().post(ASK, body)).toMatchObject({ body: { code: 'ValidationFailed' } });
    },
  );
});

describe('POST /auth/email-code/login', () => {
  it('logs in at the first level, once', async () => {
    const { browser, email, code } = await asksToLogIn(app);

    expect(await logIn(browser, code)).toMatchObject({
      status: 200,
      body: { user: { email }, session: { auth_method: 'email_code', aal: 1, current: true } },
    });

    expect(await sessionIn(browser)).toMatchObject({ auth_method: 'email_code', aal: 1 });
    expect(await detailsOf(app, await idOf(email), 'login.succeeded')).toEqual([
      { auth_method: 'email_code' },
    ]);
    expect(await logIn(browser, code)).toMatchObject(INVALID);
    expect(await activeSessions(app, { id: await idOf(email) })).toBe(1);
  });

  it.each([
    ['in lower case, without the hyphen', (code: string) => code.toLowerCase().replace('-', '')],
    ['in full-width digits', digitsOf('０')],
  ])('reads the code %s', async (_, type) => {
    const { browser, code } = await asksToLogIn(app);
    expect((await logIn(browser, type(code))).status).toBe(200);
  });

  it('ends the session that the browser had, and the pending login', async () => {
    const former = await loggedIn(app);
    const formerId = await idOf(former.email);
    const { browser, code } = await asksToLogIn(app, undefined, former);
    expect((await logIn(browser, code)).status).toBe(200);
    expect(await activeSessions(app, { id: formerId })).toBe(0);
  });

  it('mails the owner about a browser that the account does not know', async () => {
    const { email } = await loggedInByMail(app, (await loggedIn(app)).email);
    expect((await app.mailbox.last(email)).subject).toBe('A new login to your account');
  });

  it('answers a wrong code with InvalidCode, and records it', async () => {
    const { browser, code } = await asksToLogIn(app);
    const events = await eventsAfter(app, () => logIn(browser, wrong(code)));
    expect(events).toMatchObject([
      { type: 'login.failed', user_id: null, details: { reason: 'InvalidCode' } },
    ]);
    expect(await logIn(browser, wrong(code))).toMatchObject(INVALID);
    expect((await logIn(browser, code)).status).toBe(200);
  });

  it.each([
    ['moved to another address', 'UPDATE users SET email = $2 WHERE email = $1'],
    ['disabled', `UPDATE users SET disabled_at = now() WHERE email = $1 AND email <> $2`],
    ['deleted', 'DELETE FROM users WHERE email = $1 AND email <> $2'],
  ])('refuses the code of an account that was %s since', async (_, change) => {
    const { browser, email, code } = await asksToLogIn(app);
    await app.database.rows(change, [email, freshAddress()]);
    expect(await logIn(browser, code)).toMatchObject(INVALID);
  });

  it('refuses the code of an account that was secured since', async () => {
    const owner = await loggedInAs(app, 'member');
    const { browser, code } = await asksToLogIn(app, owner.email);
    const token = await linkFor(app.database, { ...owner, cookie: '' }, 'secure-account');
    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);
    expect(await logIn(browser, code)).toMatchObject(INVALID);
  });

  it('refuses a code that is more than ten minutes old', async () => {
    const { browser, code } = await asksToLogIn(app);
    const [row] = await app.database.rows(
      `SELECT extract(epoch FROM expires_at - now())::int AS left FROM mailed_codes
        WHERE purpose = 'login' AND browser_hash = sha256($1::bytea)`,
      [browser.jar.get('session_id_code')],
    );
    expect(row.left).toBeGreaterThan(590);
    expect(row.left).toBeLessThanOrEqual(600);

    await app.database.rows(
      `UPDATE mailed_codes SET expires_at = now() WHERE browser_hash = sha256($1::bytea)`,
      [browser.jar.get('session_id_code')],
    );
    expect(await logIn(browser, code)).toMatchObject(INVALID);
  });

  it('takes no code of another purpose, and no other route takes this one', async () => {
    const { browser, email, code } = await asksToLogIn(app);
    await browser.post('/password/forgot', { email });
    const resetCode = await app.mailbox.code(email);

    expect(await logIn(browser, resetCode)).toMatchObject(INVALID);
    expect(await browser.post('/password/reset/preview', { code })).toMatchObject(INVALID);
    expect(await browser.post('/auth/verify-email', { code })).toMatchObject(INVALID);
    expect((await logIn(browser, code)).status).toBe(200);
  });

  it('takes no token', async () => {
    const owner = await loggedInAs(app, 'member');
    const token = await linkFor(app.database, { ...owner, cookie: '' }, 'login');
    expect(await app.browser().post(LOGIN, { token })).toMatchObject({ body: { code: 'ValidationFailed' } });
    expect(await app.browser().post('/password/reset/preview', { token })).toMatchObject({
      body: { code: 'InvalidToken' },
    });
    expect(await app.browser().post('/auth/secure-account', { token })).toMatchObject({
      body: { code: 'InvalidToken' },
    });
  });

  it.each([{}, { code: null }, { code: 'AAAA-AAA' }, { code: 12345678 }, { code: ['AAAA-AAAA'] }])(
    'refuses the body %j',
    async (body) => {
      expect(await app.browser().post(LOGIN, body)).toMatchObject({ body: { code: 'ValidationFailed' } });
    },
  );
});

describe('a second request for a code', () => {
  it('of the same browser replaces the first', async () => {
    const first = await asksToLogIn(app);
    const second = await asksToLogIn(app, first.email, first.browser);
    expect(await logIn(first.browser, first.code)).toMatchObject(INVALID);
    expect((await logIn(first.browser, second.code)).status).toBe(200);
  });

  it('of another browser does not, but a login ends the codes of every browser', async () => {
    const first = await asksToLogIn(app);
    const second = await asksToLogIn(app, first.email);
    expect((await logIn(first.browser, first.code)).status).toBe(200);
    expect(await logIn(second.browser, second.code)).toMatchObject(INVALID);
  });
});

describe('an account that takes a second step', () => {
  it('takes it after the code too', async () => {
    const owner = await appOwner(app);
    const { browser, code } = await asksToLogIn(app, owner.email);

    expect(await logIn(browser, code)).toMatchObject({
      status: 202,
      body: { pending_login: { next: 'second_factor', methods: ['totp', 'recovery_code'] } },
    });
    expect((await browser.get('/users/me')).status).toBe(401);
    expect(await detailsOf(app, owner.id, 'login.pending')).toEqual([{ auth_method: 'email_code' }]);

    await forgetSteps(app, owner.id);
    expect(await browser.post(STEP, { totp: owner.app.code() })).toMatchObject({
      status: 200,
      body: { session: { auth_method: 'email_code', aal: 2 } },
    });
  });

  it('sets up its first factor, where its role asks for one', async () => {
    const strict = await TestApp.start({ ...WITH_EMAIL_CODES, SVC_SECOND_STEP_FROM: 'member' });
    try {
      const { browser, code } = await asksToLogIn(strict);
      expect(await logIn(browser, code)).toMatchObject({
        status: 202,
        body: { pending_login: { next: 'setup' } },
      });
    } finally {
      await strict.close();
    }
  });
});

describe('an account whose address nobody had proven', () => {
  it('is verified by the code, and loses what was set up before: the password, sessions and links', async () => {
    const stranger = await loggedInAs(app, 'member');
    await app.database.rows('UPDATE users SET email_verified_at = NULL WHERE id = $1', [stranger.id]);
    const token = await linkFor(app.database, { ...stranger, cookie: '' }, 'reset-password');
    await signedUp(app, { email: stranger.email, password: 'a guess of a stranger' });

    const browser = await loggedInByMail(app, stranger.email);

    expect((await browser.get('/users/me')).body.user).toMatchObject({
      email: stranger.email,
      email_verified: true,
    });
    expect((await stranger.get('/users/me')).status).toBe(401);
    expect(
      await app.browser().post('/auth/login', { email: stranger.email, password: PASSWORD }),
    ).toMatchObject({ body: { code: 'InvalidCredentials' } });
    expect(await app.browser().post('/password/reset/preview', { token })).toMatchObject({
      body: { code: 'InvalidToken' },
    });
    expect(
      await app.database.value('SELECT count(*)::int FROM signups WHERE email = $1', [stranger.email]),
    ).toBe(0);
  });

  it('keeps all that where its address was proven', async () => {
    const owner = await loggedIn(app);
    await loggedInByMail(app, owner.email);
    expect((await owner.get('/users/me')).status).toBe(200);
    expect((await loggedIn(app, owner.email)).email).toBe(owner.email);
  });
});

describe('an account that has nothing but its address', () => {
  it('is one that its owner can still log in to', async () => {
    const owner = await loggedIn(app);
    const removed = await owner.send('DELETE', '/password', { current_password: PASSWORD });
    expect(removed.status).toBe(204);
    expect(await sessionIn(await loggedInByMail(app, owner.email))).toMatchObject({
      auth_method: 'email_code',
    });
  });

  it('can have an authenticator app, and then takes it', async () => {
    const owner = await loggedInByMail(app);
    await addApp(app, { browser: owner, id: await idOf(owner.email) });
    const { browser, code } = await asksToLogIn(app, owner.email);
    expect((await logIn(browser, code)).status).toBe(202);
  });
});

describe('an organization that asks for mailed codes', () => {
  it('is entered with a session that one began, and with no other', async () => {
    const { id, admin, member } = await foundOrg(app);
    const rule = { login_methods: ['password', 'email_code'] };
    expect(await admin.patch(`/orgs/${id}/policy`, rule)).toMatchObject({
      status: 200,
      body: { policy: rule },
    });
    await app.database.rows('UPDATE organizations SET policy_login_methods = $2 WHERE id = $1', [
      id,
      ['email_code'],
    ]);

    expect((await member.get(`/orgs/${id}`)).body).toMatchObject({
      code: 'OrgPolicyUnmet',
      unmet: ['login_methods'],
      cure: 'log_in',
    });
    const browser = await loggedInByMail(app, member.email);
    expect((await browser.get(`/orgs/${id}`)).status).toBe(200);
  });
});
