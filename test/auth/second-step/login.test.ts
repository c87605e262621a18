import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeSessions, loggedInAs, PASSWORD } from '../../support/accounts.js';
import { AuthenticatorApp, appOwner } from '../../support/authenticator-app.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const STEP = '/auth/pending-login/second-factor';

describe('a login to an account with an authenticator app', () => {
  it('is no session until the code is right', async () => {
    const owner = await appOwner(app);
    const browser = app.browser();
    const login = await browser.post('/auth/login', { email: owner.email, password: PASSWORD });

    expect(login).toMatchObject({
      status: 202,
      body: { pending_login: { next: 'second_factor', methods: ['totp', 'recovery_code'] } },
    });
    expect([...browser.jar.keys()]).toEqual(['session_id_pending']);
    expect((await browser.get('/users/me')).status).toBe(401);
    expect(await browser.get('/auth/pending-login')).toMatchObject({ status: 200, body: login.body });

    expect(await browser.post(STEP, { totp: owner.app.wrongCode() })).toMatchObject({
      status: 400,
      body: { code: 'InvalidCode' },
    });
    expect((await browser.get('/users/me')).status).toBe(401);

    const done = await browser.post(STEP, { totp: owner.app.code() });
    expect(done).toMatchObject({
      status: 200,
      body: { session: { aal: 2, auth_method: 'password', current: true }, recovery_codes_left: 10 },
    });
    expect([...browser.jar.keys()].sort()).toEqual(['session_id', 'session_id_device']);
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('takes a code once', async () => {
    const owner = await appOwner(app);
    const [first, second] = [app.browser(), app.browser()];
    const code = owner.app.code();
    for (const browser of [first, second])
      await browser.post('/auth/login', { email: owner.email, password: PASSWORD });
    expect((await first.post(STEP, { totp: code })).status).toBe(200);
    expect(await second.post(STEP, { totp: code })).toMatchObject({ body: { code: 'InvalidCode' } });
  });

  it('takes a recovery code once, however it is typed, and tells the owner how many are left', async () => {
    const owner = await appOwner(app);
    const [code = ''] = owner.recoveryCodes;
    expect(owner.recoveryCodes).toHaveLength(10);
    const typed = code.toLowerCase().replaceAll('-', '').replaceAll('0', 'o');
    for (const [spelling, status] of [
      [typed, 200],
      [code, 400],
    ] as const) {
      const browser = app.browser();
      await browser.post('/auth/login', { email: owner.email, password: PASSWORD });
      const done = await browser.post(STEP, { recovery_code: spelling });
      expect(done.status).toBe(status);
      if (status === 200) expect(done.body.recovery_codes_left).toBe(9);
    }
    const mails = await app.mailbox.to(owner.email);
    expect(mails.some(({ text }) => text.includes('9 more are left'))).toBe(true);
  });
});

describe('where the role asks for a second factor', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await TestApp.start({ SVC_SECOND_STEP_FROM: 'org_admin' });
  });
  afterAll(() => strict.close());

  it('a role that is raised ends the session, and the login leads through the set-up', async () => {
    const admin = await loggedInAs(strict, 'org_admin');
    expect((await admin.get('/users/me')).status).toBe(401);

    const login = await admin.post('/auth/login', { email: admin.email, password: PASSWORD });
    expect(login).toMatchObject({ status: 202, body: { pending_login: { next: 'setup', methods: [] } } });
    const begun = await admin.post('/auth/pending-login/totp');
    expect(begun.status).toBe(200);
    expect(begun.body.uri).toContain(`secret=${begun.body.secret}`);

    const authenticatorApp = new AuthenticatorApp(begun.body.secret);
    const wrong = await admin.post('/auth/pending-login/totp/confirm', {
      code: authenticatorApp.wrongCode(),
    });
    expect(wrong.body.code).toBe('InvalidCode');
    const done = await admin.post('/auth/pending-login/totp/confirm', { code: authenticatorApp.code() });
    expect(done).toMatchObject({ status: 200, body: { session: { aal: 2 } } });
    expect(done.body.recovery_codes).toHaveLength(10);
    expect((await admin.get('/users/me/factors')).body.factors).toMatchObject({
      totp: { created_at: expect.any(String) },
      passkeys: 0,
      recovery_codes_left: 10,
      second_step: 'required',
    });
    expect(await activeSessions(strict, admin)).toBe(1);
  });
});
