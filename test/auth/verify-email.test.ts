import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS, freshAddress, PASSWORD, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { inLockStep } from '../support/lock-step.js';
import { later, type SignupFields, waitingSignup } from '../support/signups.js';
import { TestApp } from '../support/test-app.js';

const OWN_PASSWORD = 'a phrase of the owner';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const waiting = (email?: string, signup?: SignupFields) => waitingSignup(app, email, signup);

const verify = (browser: Browser, token: string, body: object = {}) =>
  browser.post('/auth/verify-email', { token, ...body });
const resend = (browser: Browser, email: string) => browser.post('/auth/verify-email/resend', { email });
const user = async (email: string) =>
  (await app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]))[0];
const login = (email: string, password: string) => app.browser().post('/auth/login', { email, password });
const mails = async (email: string) => (await app.mailbox.to(email)).length;
const INVALID = { status: 400, body: { code: 'InvalidToken' }, cookies: [] };
const NEEDS_PASSWORD = { status: 400, body: { code: 'PasswordRequired' }, cookies: [] };

/** Inserts a user with the address, until 8 requests wait for it: the service has connections for no more. */
const holding = (email: string) => ({
  sql: `INSERT INTO users (id, email) VALUES (gen_random_uuid(), $1)`,
  parameters: [email],
  waiting: 8,
  end: 'ROLLBACK' as const,
});

describe('POST /auth/verify-email in the browser that signed up', () => {
  it('creates the user with a verified address, and logs in', async () => {
    const { browser, email, token } = await waiting(freshAddress(), { name: 'Ada' });

    const answer = await verify(browser, token);

    const self = {
      email,
      name: 'Ada',
      role: 'member',
      email_verified: true,
      org_id: null,
      has_password: true,
    };
    expect(answer).toMatchObject({
      status: 200,
      body: {
        email,
        email_verified: true,
        user: self,
        session: { current: true, auth_method: 'password' },
      },
    });
    const { user: returned, session, organizations } = answer.body;
    expect((await browser.get('/users/me')).body).toEqual({ user: returned, session, organizations });
    expect(await mails(email)).toBe(1);
  });

  it('ends the session whose cookie came with the request', async () => {
    const { browser, token } = await waiting();
    const planted = (await signedInElsewhere()).jar.get('session_id') ?? '';
    browser.jar.set('session_id', planted);

    expect((await verify(browser, token)).status).toBe(200);

    expect((await app.browser({ cookie: `session_id=${planted}` }).get('/users/me')).status).toBe(401);
  });

  it('still accepts the token after a scanner has opened every link of the mail, here or at the SPA', async () => {
    const { browser, email, token } = await waiting();
    const { text } = await app.mailbox.last(email);
    const links = new Set(text.match(/https?:[^\s"<]+/g));

    expect(links.size).toBeGreaterThan(0);
    for (const link of links) {
      const { origin, pathname, search } = new URL(link);
      expect(origin).toBe('http://localhost:5173');
      for (const path of [pathname, `/auth${pathname}`])
        for (const method of ['GET', 'HEAD'] as const)
          expect((await app.browser().send(method, path + search)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await verify(browser, token)).status).toBe(200);
  });

  it('accepts a token once, and afterwards no other token that was mailed for the same signup', async () => {
    const { browser, email, token: first } = await waiting();
    await later(app, email, '61 seconds');
    await resend(browser, email);
    const second = await app.mailbox.token(email);

    expect((await verify(browser, first)).status).toBe(200);
    for (const token of [first, second]) expect(await verify(browser, token)).toMatchObject(INVALID);
  });

  it('lets exactly one of 32 uses at once succeed', async () => {
    const { browser, email, token } = await waiting();

    const answers = await inLockStep(app.database, holding(email), () =>
      Array.from({ length: 32 }, () => verify(browser, token)),
    );
    const statuses = answers.map(({ status }) => status);

    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(31);
  });

  it('lets exactly one of five signups of an address, completed at once, succeed', async () => {
    const email = freshAddress();
    const links: Awaited<ReturnType<typeof waiting>>[] = [];
    for (let signups = 0; signups < 5; signups++)
      links.push(await waiting(email, { path: '/auth/signup-org', org_name: `One of five ${email}` }));

    const answers = await inLockStep(app.database, { ...holding(email), waiting: 5 }, () =>
      links.map(({ browser, token }) => verify(browser, token)),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    const made = await app.database.rows('SELECT 1 FROM organizations WHERE name = $1', [
      `One of five ${email}`,
    ]);
    expect(made).toHaveLength(1);
  });

  it('accepts a token for 24 hours', async () => {
    const [young, old] = [await waiting(), await waiting()];
    await later(app, young.email, '23 hours 59 minutes');
    await later(app, old.email, '24 hours 1 second');

    expect((await verify(young.browser, young.token)).status).toBe(200);
    expect(await verify(old.browser, old.token)).toMatchObject(INVALID);
  });

  it('refuses a token that is unknown, or for another purpose', async () => {
    const other = await verified(app);
    await app.browser().post('/password/forgot', { email: other });

    for (const token of ['never-issued', await app.mailbox.token(other)])
      expect(await verify(app.browser(), token)).toMatchObject(INVALID);
  });

  it('refuses a token once its address has an account, and does not change that account', async () => {
    const { browser, email, token } = await waiting();
    await app.database.rows(
      `INSERT INTO users (id, email, disabled_at) VALUES (gen_random_uuid(), $1, now())`,
      [email],
    );
    const before = await user(email);

    for (const body of [{}, { password: PASSWORD }, { new_password: OWN_PASSWORD }])
      expect(await verify(browser, token, body)).toMatchObject(INVALID);
    expect(await user(email)).toEqual(before);
  });

  it('completes no signup in a deployment that has become B2B', async () => {
    const { browser, email, token } = await waiting();
    const b2b = await TestApp.start({ SVC_APP_MODE: 'b2b' }, { database: app.database });
    const cookie = `session_id_signup=${browser.jar.get('session_id_signup')}`;

    expect(await verify(b2b.browser({ cookie }), token)).toMatchObject(INVALID);
    await later(app, email, '61 seconds');
    expect((await resend(b2b.browser({ cookie }), email)).status).toBe(202);
    expect(await mails(email)).toBe(1);
    await b2b.nest.close();
  });
});

describe('POST /auth/verify-email in another browser', () => {
  it('asks for the password of the signup, or a new one, and leaves the token valid', async () => {
    const { browser, email, token } = await waiting();

    expect(await verify(app.browser(), token)).toMatchObject(NEEDS_PASSWORD);

    expect(await user(email)).toBeUndefined();
    expect((await verify(browser, token)).status).toBe(200);
  });

  it('asks for it too when the browser sends two cookies of that name', async () => {
    const { browser, token } = await waiting();
    const cookie = `session_id_signup=${browser.jar.get('session_id_signup')}`;

    expect(await verify(app.browser({ cookie: `${cookie}; ${cookie}` }), token)).toMatchObject(
      NEEDS_PASSWORD,
    );
  });

  it('creates the user and the organization with the password of the signup', async () => {
    const { email, token } = await waiting(freshAddress(), {
      path: '/auth/signup-org',
      org_name: 'Analytical',
      name: 'Ada',
    });

    const answer = await verify(app.browser(), token, { password: PASSWORD });

    expect(answer).toMatchObject({ status: 200, body: { user: { email, name: 'Ada', role: 'org_admin' } } });
    expect(answer.body.user.org_id).not.toBeNull();
  });

  it('keeps nothing of the signup but the address when it gets a new password', async () => {
    const { email, token } = await waiting(freshAddress(), {
      path: '/auth/signup-org',
      org_name: 'Of a stranger',
      name: 'A stranger',
    });

    const answer = await verify(app.browser(), token, { new_password: OWN_PASSWORD });

    expect(answer).toMatchObject({
      status: 200,
      body: { user: { email, name: null, role: 'member', org_id: null } },
    });
    expect(await app.database.rows(`SELECT 1 FROM organizations WHERE name = 'Of a stranger'`)).toEqual([]);
    expect((await login(email, PASSWORD)).body.code).toBe('InvalidCredentials');
    expect((await login(email, OWN_PASSWORD)).status).toBe(200);
  });

  it('refuses a weak new password, and leaves the token valid', async () => {
    const { email, token } = await waiting();

    for (const new_password of ['password', email])
      expect(await verify(app.browser(), token, { new_password })).toMatchObject({
        status: 400,
        body: { code: 'WeakPassword', errors: [{ field: 'new_password' }] },
      });
    expect((await verify(app.browser(), token, { new_password: OWN_PASSWORD })).status).toBe(200);
  });

  it('compares no password where a new one is given', async () => {
    const { email, token } = await waiting(freshAddress(), { name: 'A stranger' });

    const answer = await verify(app.browser(), token, { password: PASSWORD, new_password: OWN_PASSWORD });

    expect(answer.body.user.name).toBeNull();
    expect((await login(email, OWN_PASSWORD)).status).toBe(200);
  });

  it('compares five wrong passwords, also of 32 tried at once, and refuses the token afterwards', async () => {
    const { browser, token } = await waiting();

    const answers = await Promise.all(
      Array.from({ length: 32 }, () => verify(app.browser(), token, { password: 'a wrong guess' })),
    );

    const codes = answers.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 'PasswordRequired')).toHaveLength(5);
    expect(codes.filter((code) => code === 'InvalidToken')).toHaveLength(27);
    expect(await verify(app.browser(), token, { password: PASSWORD })).toMatchObject(INVALID);
    expect(await verify(browser, token)).toMatchObject(INVALID);
  });

  it('compares five more once the browser that signed up repeats it, which may have another password', async () => {
    const { browser, email, token } = await waiting();
    const guess = (password: string) => verify(app.browser(), token, { password });
    for (let tries = 0; tries < 4; tries++)
      expect(await guess('a wrong guess')).toMatchObject(NEEDS_PASSWORD);

    await browser.post('/auth/signup', { email, password: OWN_PASSWORD });

    for (let tries = 0; tries < 4; tries++) expect(await guess(PASSWORD)).toMatchObject(NEEDS_PASSWORD);
    expect((await guess(OWN_PASSWORD)).status).toBe(200);
  });

  it('gives no tries to a signup that wrong passwords ended, nor when its browser or another signs up again', async () => {
    const { browser, email, token } = await waiting();
    for (let tries = 0; tries < 5; tries++) await verify(app.browser(), token, { password: 'a wrong guess' });

    for (const each of [browser, app.browser()])
      await each.post('/auth/signup', { email, password: PASSWORD });

    expect(await verify(app.browser(), token, { password: PASSWORD })).toMatchObject(INVALID);
    expect(await verify(browser, token)).toMatchObject(INVALID);
  });

  it('accepts the right password at the fifth try', async () => {
    const { token } = await waiting();
    for (let tries = 0; tries < 4; tries++)
      expect(await verify(app.browser(), token, { password: 'a wrong guess' })).toMatchObject(NEEDS_PASSWORD);

    expect((await verify(app.browser(), token, { password: PASSWORD })).status).toBe(200);
  });
});

describe('a stranger who signs up with the address of another person', () => {
  it('gains nothing when the owner of the address confirms it by mistake', async () => {
    const { browser: stranger, email, token } = await waiting();

    const owner = app.browser();
    expect(await verify(owner, token)).toMatchObject(NEEDS_PASSWORD);
    expect((await verify(owner, token, { new_password: OWN_PASSWORD })).status).toBe(200);

    expect((await login(email, PASSWORD)).body.code).toBe('InvalidCredentials');
    expect((await stranger.get('/users/me')).status).toBe(401);
    expect(await verify(stranger, token)).toMatchObject(INVALID);
  });

  it('gains nothing when the owner has signed up as well and opens the wrong link', async () => {
    const email = freshAddress();
    const { token: ofStranger } = await waiting(email);
    const { browser: owner, token } = await waiting(email, { password: OWN_PASSWORD });

    expect(await verify(owner, ofStranger)).toMatchObject(NEEDS_PASSWORD);
    expect((await verify(owner, token)).status).toBe(200);

    expect((await login(email, PASSWORD)).body.code).toBe('InvalidCredentials');
    expect((await login(email, OWN_PASSWORD)).status).toBe(200);
  });
});

/** A browser in which another user has logged in. */
async function signedInElsewhere(): Promise<Browser> {
  const { browser, token } = await waiting();
  await verify(browser, token);
  return browser;
}
