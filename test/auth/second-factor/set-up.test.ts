import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeSessions, giveRole, PASSWORD, signedUp, verified } from '../../support/accounts.js';
import { detailsOf } from '../../support/audit.js';
import {
  AuthenticatorApp,
  loseKey,
  pendingLogin,
  SECOND_FACTOR,
  UNREADABLE,
} from '../../support/authenticator-app.js';
import type { Browser } from '../../support/browser.js';
import { inLockStep } from '../../support/lock-step.js';
import { TestApp } from '../../support/test-app.js';

let strict: TestApp;
beforeAll(async () => {
  strict = await TestApp.start({ SVC_SECOND_STEP_FROM: 'readonly' });
});
afterAll(() => strict.close());

const BEGIN = '/auth/pending-login/totp';
const CONFIRM = '/auth/pending-login/totp/confirm';
const ON = { status: 409, body: { code: 'TotpAlreadyOn' } };

/** A user without a factor, who must have one. */
async function newUser() {
  const email = await verified(strict);
  return {
    email,
    id: (await strict.database.value('SELECT id FROM users WHERE email = $1', [email])) as string,
  };
}

async function begun(browser: Browser): Promise<AuthenticatorApp> {
  const { status, body } = await browser.post(BEGIN);
  expect(status).toBe(200);
  return new AuthenticatorApp(body.secret);
}

describe('the set-up of the first factor', () => {
  it('begins at the login, and ends with a session, ten recovery codes and a mail', async () => {
    const admin = Object.assign(strict.browser(), await newUser());

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
    expect(admin.jar.has('session_id_pending')).toBe(false);
    expect((await strict.mailbox.to(admin.email)).map(({ subject }) => subject)).toContain(
      'Your login now has a second step',
    );
    expect(await detailsOf(strict, admin.id, 'login.succeeded')).toEqual([
      { auth_method: 'password', second_step: 'setup' },
    ]);
    expect(await detailsOf(strict, admin.id, 'second_step.on')).toHaveLength(1);
    expect(await detailsOf(strict, admin.id, 'login.failed')).toEqual([{ reason: 'InvalidCode' }]);
  });

  it('comes with the account of a signup', async () => {
    const email = await signedUp(strict);
    const browser = strict.browser();
    const { status, body } = await browser.post('/auth/verify-email', {
      token: await strict.mailbox.token(email),
      password: PASSWORD,
    });
    expect({ status, next: body.pending_login.next }).toEqual({ status: 202, next: 'setup' });
    expect(body).toMatchObject({ email, email_verified: true });
    expect([...browser.jar.keys()]).toEqual(['session_id_pending']);
    const its = await begun(browser);
    expect((await browser.post(CONFIRM, { code: its.code() })).status).toBe(200);
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('takes the secret that was shown last, for an hour', async () => {
    const user = await newUser();
    const browser = await pendingLogin(strict, user);
    const former = await begun(browser);
    const its = await begun(browser);
    expect((await browser.post(CONFIRM, { code: former.code() })).body.code).toBe('InvalidCode');
    await strict.database.rows(
      `UPDATE totp_factors SET created_at = created_at - interval '1 hour' WHERE user_id = $1`,
      [user.id],
    );
    expect((await browser.post(CONFIRM, { code: its.code() })).body.code).toBe('InvalidCode');
    const again = await begun(browser);
    expect((await browser.post(CONFIRM, { code: again.code() })).status).toBe(200);
  });

  it('ends every other session and login under way of the account', async () => {
    const user = await newUser();
    const [thief, owner] = [await pendingLogin(strict, user), await pendingLogin(strict, user)];
    const its = await begun(owner);
    expect((await owner.post(CONFIRM, { code: its.code() })).status).toBe(200);

    expect((await thief.post(BEGIN)).status).toBe(401);
    expect((await thief.get('/auth/pending-login')).status).toBe(401);
    expect(await activeSessions(strict, user)).toBe(1);
  });

  it('is no way past a factor: a thief of the password cannot add one beside the owner’s', async () => {
    const user = await newUser();
    const owner = await pendingLogin(strict, user);
    await owner.post(CONFIRM, { code: (await begun(owner)).code() });
    const thief = await pendingLogin(strict, user);

    expect(await thief.post(BEGIN)).toMatchObject(ON);
    expect(await thief.post(CONFIRM, { code: '123456' })).toMatchObject(ON);
    expect((await thief.get('/auth/pending-login')).body.pending_login.next).toBe('second_factor');
  });

  it('stops when a factor comes up meanwhile, or only recovery codes are left of one', async () => {
    const user = await newUser();
    const thief = await pendingLogin(strict, user);
    const its = await begun(thief);
    await strict.database.rows(
      `INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, sha256('some code'))`,
      [user.id],
    );
    expect(await thief.post(CONFIRM, { code: its.code() })).toMatchObject(ON);
    expect(await thief.post(BEGIN)).toMatchObject(ON);
    expect(await activeSessions(strict, user)).toBe(0);
  });

  it('takes no code before a secret was shown, and none of a session’s routes', async () => {
    const user = await newUser();
    const browser = await pendingLogin(strict, user);
    expect((await browser.post(CONFIRM, { code: '123456' })).body.code).toBe('InvalidCode');
    for (const path of ['/users/me/totp', '/users/me/recovery-codes', '/users/me/passkeys/options'])
      expect((await browser.post(path)).status).toBe(401);
  });

  it('is refused with AccountDisabled while the account is being disabled', async () => {
    const user = await newUser();
    const browser = await pendingLogin(strict, user);
    const its = await begun(browser);
    const sql = 'UPDATE users SET disabled_at = now() WHERE id = $1';
    const [answer] = await inLockStep(strict.database, { sql, parameters: [user.id], waiting: 1 }, () => [
      browser.post(CONFIRM, { code: its.code() }),
    ]);
    expect(answer).toMatchObject({ status: 403, body: { code: 'AccountDisabled' } });
  });

  it('counts wrong codes of a network too, whichever step they are for', async () => {
    const limited = await TestApp.start(
      { SVC_SECOND_STEP_FROM: 'readonly', SVC_RATE_LIMITS: 'on', SVC_LIMIT_LOGIN_PER_NETWORK: '1/15m' },
      { database: strict.database },
    );
    const browser = await pendingLogin(limited, await newUser());
    const its = await begun(browser);
    const steps: [string, object][] = [
      [CONFIRM, { code: its.wrongCode() }],
      [SECOND_FACTOR, { totp: its.wrongCode() }],
    ];
    for (const [path, body] of steps) {
      await limited.database.rows('TRUNCATE rate_limits');
      expect((await browser.post(path, body)).body.code).toBe('InvalidCode');
      expect((await browser.post(path, body)).body.code).toBe('TooManyRequests');
    }
    await limited.nest.close();
  });

  it('is a 503 once no secret of the settings opens that of the app, and goes on with another app', async () => {
    const user = await newUser();
    const browser = await pendingLogin(strict, user);
    const lost = await begun(browser);
    await loseKey(strict, user.id);

    for (let attempt = 0; attempt < 6; attempt++)
      expect(await browser.post(CONFIRM, { code: lost.code() })).toMatchObject(UNREADABLE);
    const its = await begun(browser);
    expect((await browser.post(CONFIRM, { code: its.code() })).status).toBe(200);
  });

  it('asks for a pending login', async () => {
    expect(await strict.browser().post(BEGIN)).toMatchObject({ status: 401 });
    expect((await strict.browser().post(CONFIRM, { code: '123456' })).status).toBe(401);
  });
});

describe('a session without a factor, where every role must have one', () => {
  it.each(['readonly', 'member', 'org_admin', 'sys_admin'] as const)('is none for %s', async (role) => {
    const user = await newUser();
    await giveRole(strict.database, user.id, role);
    expect((await pendingLogin(strict, user)).jar.has('session_id')).toBe(false);
  });
});
