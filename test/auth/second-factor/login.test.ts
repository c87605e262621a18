import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { activeSessions, loggedIn, loggedInAs, PASSWORD } from '../../support/accounts.js';
import { detailsOf } from '../../support/audit.js';
import { Authenticator } from '../../support/authenticator.js';
import {
  type AppOwner,
  AuthenticatorApp,
  appOwner,
  forgetSteps,
  loggedInWithCode,
  loseKey,
  pendingLogin,
  SECOND_FACTOR as STEP,
  UNREADABLE,
  withinAStep,
} from '../../support/authenticator-app.js';
import type { Browser } from '../../support/browser.js';
import { linkFor } from '../../support/crowd.js';
import { inLockStep } from '../../support/lock-step.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const OVER = { status: 401, body: { code: 'Unauthenticated' } };
const INVALID = { status: 400, body: { code: 'InvalidCode' } };
const PENDING = 'session_id_pending';

const withCookie = (name: string, value: string | undefined): Browser => {
  const browser = app.browser();
  browser.jar.set(name, value ?? '');
  return browser;
};

/** Whether a pending login still leads to a session. */
async function isGood(browser: Browser, owner: AppOwner): Promise<boolean> {
  await forgetSteps(app, owner.id);
  const { status } = await browser.post(STEP, { totp: owner.app.code() });
  return status === 200;
}

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
    const [first, second] = [await pendingLogin(app, owner), await pendingLogin(app, owner)];
    const code = owner.app.code();
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
      const browser = await pendingLogin(app, owner);
      const done = await browser.post(STEP, { recovery_code: spelling });
      expect(done.status).toBe(status);
      if (status === 200) expect(done.body.recovery_codes_left).toBe(9);
    }
    const mails = await app.mailbox.to(owner.email);
    expect(mails.some(({ text }) => text.includes('You have 9 left.'))).toBe(true);
  });
});

describe('DELETE /auth/pending-login', () => {
  it('gives the login up, and clears its cookie', async () => {
    const owner = await appOwner(app);
    const browser = await pendingLogin(app, owner);
    const copy = withCookie(PENDING, browser.jar.get(PENDING));

    expect(await browser.delete('/auth/pending-login')).toMatchObject({ status: 204, text: '' });

    expect([...browser.jar.keys()]).toEqual([]);
    expect(await copy.post(STEP, { totp: owner.app.code() })).toMatchObject(OVER);
    expect(await app.browser().delete('/auth/pending-login')).toMatchObject(OVER);
  });

  it('leaves the session that the browser has', async () => {
    const [browser, owner] = [await loggedIn(app), await appOwner(app)];
    await browser.post('/auth/login', { email: owner.email, password: PASSWORD });

    expect((await browser.delete('/auth/pending-login')).status).toBe(204);

    expect((await browser.get('/users/me')).body.user.email).toBe(browser.email);
  });
});

describe('the code of an authenticator app', () => {
  it('is a 503 that names the finding once no secret of the settings opens it, and counts as no attempt', async () => {
    const owner = await appOwner(app);
    await loseKey(app, owner.id);
    const session = await pendingLogin(app, owner);
    await session.post(STEP, { recovery_code: owner.recoveryCodes[0] });

    for (let attempt = 0; attempt < 6; attempt++)
      expect(await (await pendingLogin(app, owner)).post(STEP, { totp: owner.app.code() })).toMatchObject(
        UNREADABLE,
      );
    expect(await session.post('/auth/step-up', { totp: owner.app.code() })).toMatchObject(UNREADABLE);

    const lines = app.log.map((line) => JSON.parse(line)).filter(({ event }) => event === 'totp.unreadable');
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatchObject({ level: 'error', finding: 'SECRETS_UNDER_FORMER_KEY' });
    expect(
      await app.database.rows(
        `SELECT 1 FROM audit_events WHERE type IN ('login.failed', 'step_up.failed') AND user_id = $1`,
        [owner.id],
      ),
    ).toEqual([]);
  });

  it('is a 503 as well where it would confirm the app', async () => {
    const browser = await loggedInAs(app, 'member');
    const its = new AuthenticatorApp((await browser.post('/users/me/totp')).body.secret);
    await loseKey(app, browser.id);

    expect(await browser.post('/users/me/totp/confirm', { code: its.code() })).toMatchObject(UNREADABLE);
    expect((await browser.get('/users/me/factors')).body.factors.totp).toBeNull();
  });

  it('may be of the step before or after, and of none further away', async () => {
    const owner = await appOwner(app);
    for (const [stepsFromNow, status] of [
      [-2, 400],
      [-1, 200],
      [1, 200],
      [2, 400],
    ] as const)
      await withinAStep(async () => {
        const browser = await pendingLogin(app, owner);
        await forgetSteps(app, owner.id);
        expect((await browser.post(STEP, { totp: owner.app.code(stepsFromNow) })).status).toBe(status);
      });
  });

  it('counts no more once one of a later step was used', async () => {
    const owner = await appOwner(app);
    await withinAStep(async () => {
      await forgetSteps(app, owner.id);
      expect((await (await pendingLogin(app, owner)).post(STEP, { totp: owner.app.code() })).status).toBe(
        200,
      );
      const browser = await pendingLogin(app, owner);
      expect(await browser.post(STEP, { totp: owner.app.code(-1) })).toMatchObject(INVALID);
      expect((await browser.post(STEP, { totp: owner.app.code(1) })).status).toBe(200);
    });
  });

  it('is used up by the confirmation of the app, by a login and by a step-up alike', async () => {
    const browser = await loggedInAs(app, 'member');
    const its = new AuthenticatorApp((await browser.post('/users/me/totp')).body.secret);
    await withinAStep(async () => {
      await app.database.rows(
        'UPDATE totp_factors SET confirmed_at = NULL, last_step = 0 WHERE user_id = $1',
        [browser.id],
      );
      const used = its.code();
      expect((await browser.post('/users/me/totp/confirm', { code: used })).status).toBe(200);
      expect(await browser.post('/auth/step-up', { totp: used })).toMatchObject(INVALID);
      const login = await pendingLogin(app, browser);
      expect(await login.post(STEP, { totp: used })).toMatchObject(INVALID);

      const next = its.code(1);
      expect((await browser.post('/auth/step-up', { totp: next })).status).toBe(200);
      expect(await login.post(STEP, { totp: next })).toMatchObject(INVALID);
    });
  });

  it('is judged by the clock of the database: that of a replica may be wrong', async () => {
    const owner = await appOwner(app);
    const browser = await pendingLogin(app, owner);
    const code = owner.app.code();
    const anHourAhead = Date.now() + 3_600_000;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(anHourAhead);
    try {
      expect(await browser.post(STEP, { totp: owner.app.code() })).toMatchObject(INVALID);
      expect((await browser.post(STEP, { totp: code })).status).toBe(200);
    } finally {
      clock.mockRestore();
    }
  });

  it('opens no other account', async () => {
    const [owner, thief] = [await appOwner(app), await appOwner(app)];
    const browser = await pendingLogin(app, owner);
    expect(await browser.post(STEP, { totp: thief.app.code() })).toMatchObject(INVALID);
    expect(await browser.post(STEP, { recovery_code: thief.recoveryCodes[0] })).toMatchObject(INVALID);
  });

  it('comes alone, and whole', async () => {
    const browser = await pendingLogin(app, await appOwner(app));
    for (const body of [
      {},
      { totp: '123456', recovery_code: '7Q4M-0ZK2-HX9T-C3VB' },
      { totp: 123456 },
      { totp: '12345' },
      { recovery_code: '7Q4M-0ZK2-HX9T-C3V' },
      { totp: null, recovery_code: null },
    ])
      expect(await browser.post(STEP, body)).toMatchObject({
        status: 400,
        body: { code: 'ValidationFailed' },
      });
  });
});

describe('a pending login', () => {
  it('is no session, and a session no pending login', async () => {
    const owner = await appOwner(app);
    const pending = (await pendingLogin(app, owner)).jar.get(PENDING);
    const asSession = withCookie('session_id', pending);
    expect(await asSession.get('/users/me')).toMatchObject(OVER);
    expect(await asSession.delete('/sessions')).toMatchObject(OVER);

    const asPending = withCookie(PENDING, owner.browser.jar.get('session_id'));
    expect(await asPending.get('/auth/pending-login')).toMatchObject(OVER);
  });

  it('is used once', async () => {
    const owner = await appOwner(app);
    const browser = await pendingLogin(app, owner);
    const copy = withCookie(PENDING, browser.jar.get(PENDING));
    expect(await isGood(browser, owner)).toBe(true);
    expect(await isGood(copy, owner)).toBe(false);
    expect(await activeSessions(app, owner)).toBe(2);
  });

  it('is used once also by two requests at once', async () => {
    const owner = await appOwner(app);
    const { jar } = await pendingLogin(app, owner);
    const answers = await inLockStep(
      app.database,
      { sql: 'SELECT FROM users WHERE id = $1 FOR UPDATE', parameters: [owner.id], waiting: 2 },
      () =>
        owner.recoveryCodes
          .slice(0, 2)
          .map((recovery_code) => withCookie(PENDING, jar.get(PENDING)).post(STEP, { recovery_code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await owner.browser.get('/users/me/factors')).body.factors.recovery_codes_left).toBe(9);
  });

  it('is none once the password changed while it was compared', async () => {
    const owner = await appOwner(app);
    const sql = `UPDATE users SET password_changed_at = now() + interval '1 second' WHERE id = $1`;
    const [answer] = await inLockStep(app.database, { sql, parameters: [owner.id], waiting: 1 }, () => [
      app.browser().post('/auth/login', { email: owner.email, password: PASSWORD }),
    ]);
    expect(answer).toMatchObject({ status: 401, body: { code: 'InvalidCredentials' } });
    expect(await app.database.rows('SELECT FROM pending_logins WHERE user_id = $1', [owner.id])).toEqual([]);
  });

  it('is refused with AccountDisabled while the account is being disabled', async () => {
    const owner = await appOwner(app);
    const browser = await pendingLogin(app, owner);
    const sql = 'UPDATE users SET disabled_at = now() WHERE id = $1';
    const [answer] = await inLockStep(app.database, { sql, parameters: [owner.id], waiting: 1 }, () => [
      browser.post(STEP, { totp: owner.app.code() }),
    ]);
    expect(answer).toMatchObject({ status: 403, body: { code: 'AccountDisabled' } });
  });

  it.each([
    ['GET', '/auth/pending-login', undefined],
    ['POST', STEP, { totp: '123456' }],
    ['POST', '/auth/pending-login/totp', undefined],
    ['POST', '/auth/pending-login/totp/confirm', { code: '123456' }],
  ] as const)(
    'that is ten minutes old is over for %s %s, which clears the cookie',
    async (method, path, body) => {
      const owner = await appOwner(app);
      const browser = await pendingLogin(app, owner);
      await app.database.rows(
        `UPDATE pending_logins SET expires_at = expires_at - interval '10 minutes' WHERE user_id = $1`,
        [owner.id],
      );
      expect(await browser.send(method, path, body)).toMatchObject(OVER);
      expect(browser.jar.has(PENDING)).toBe(false);
    },
  );

  it('has a cookie that no script reads, for ten minutes', async () => {
    const { email } = await appOwner(app);
    const { cookies, body } = await app.browser().post('/auth/login', { email, password: PASSWORD });
    expect(cookies).toEqual([
      expect.stringMatching(/^session_id_pending=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly/),
    ]);
    const seconds = (new Date(body.pending_login.expires_at).getTime() - Date.now()) / 1000;
    expect(Math.abs(seconds - 600)).toBeLessThan(30);
  });

  it.each<[string, (owner: AppOwner) => Promise<{ status: number }>]>([
    [
      'the owner changes the password',
      ({ browser }) =>
        browser.post('/password/update', { current_password: PASSWORD, new_password: `${PASSWORD} 2` }),
    ],
    [
      'the owner takes the password away',
      async ({ browser, id }) => {
        await app.database.rows(
          `INSERT INTO identities (id, user_id, provider, subject)
           VALUES (gen_random_uuid(), $1, 'https://idp.example', gen_random_uuid())`,
          [id],
        );
        return browser.send('DELETE', '/password', { current_password: PASSWORD });
      },
    ],
    ['the owner ends the other sessions', ({ browser }) => browser.delete('/sessions')],
    [
      'the owner sets a new password by mail',
      async (owner) =>
        app.browser().post('/password/reset', {
          token: await linkFor(app.database, { ...owner, cookie: '' }, 'reset-password'),
          new_password: PASSWORD,
        }),
    ],
    [
      'an admin disables the account',
      async ({ id }) => (await loggedInAs(app, 'sys_admin')).patch(`/users/${id}`, { disabled: true }),
    ],
    [
      'an admin disables the account and enables it again',
      async ({ id }) => {
        const admin = await loggedInAs(app, 'sys_admin');
        await admin.patch(`/users/${id}`, { disabled: true });
        return admin.patch(`/users/${id}`, { disabled: false });
      },
    ],
    [
      'the owner deletes the account',
      ({ browser }) => browser.send('DELETE', '/users/me', { current_password: PASSWORD }),
    ],
  ])('ends when %s', async (_, end) => {
    const owner = await appOwner(app);
    const thief = await pendingLogin(app, owner);
    const { status } = await end(owner);
    expect([200, 204]).toContain(status);
    expect(await thief.get('/auth/pending-login')).toMatchObject(OVER);
    expect(thief.jar.has(PENDING)).toBe(false);
  });

  it('counts only while its user has the password of the first step, and is enabled', async () => {
    const owner = await appOwner(app);
    for (const sql of [`password_changed_at = now() + interval '1 second'`, 'disabled_at = now()']) {
      const browser = await pendingLogin(app, owner);
      await app.database.rows(`UPDATE users SET ${sql} WHERE id = $1`, [owner.id]);
      expect(await browser.get('/auth/pending-login')).toMatchObject(OVER);
      await app.database.rows(
        'UPDATE users SET disabled_at = NULL, password_changed_at = now() WHERE id = $1',
        [owner.id],
      );
    }
  });

  it('of a browser goes on beside its session, which ends with the second step', async () => {
    const owner = await appOwner(app);
    const planted = await loggedIn(app);
    const browser = withCookie('session_id', planted.jar.get('session_id'));
    await browser.post('/auth/login', { email: owner.email, password: PASSWORD });
    expect((await browser.get('/users/me')).body.user.email).toBe(planted.email);

    expect(await isGood(browser, owner)).toBe(true);
    expect((await browser.get('/users/me')).body.user.email).toBe(owner.email);
    expect(await planted.get('/users/me')).toMatchObject(OVER);
  });

  it('that an attacker planted is replaced at the login, and two count as none', async () => {
    const [owner, attacker] = [await appOwner(app), await appOwner(app)];
    const planted = (await pendingLogin(app, attacker)).jar.get(PENDING);
    const browser = withCookie(PENDING, planted);
    await browser.post('/auth/login', { email: owner.email, password: PASSWORD });
    expect(browser.jar.get(PENDING)).not.toBe(planted);

    const cookie = `${PENDING}=${browser.jar.get(PENDING)}; ${PENDING}=${planted}`;
    expect(await app.browser().get('/auth/pending-login', { cookie })).toMatchObject(OVER);
    expect(await isGood(browser, owner)).toBe(true);
  });

  it('ends with a login by passkey in its browser, which is both steps', async () => {
    const owner = await appOwner(app);
    const authenticator = new Authenticator();
    const { body } = await owner.browser.post('/users/me/passkeys/options');
    await owner.browser.post('/users/me/passkeys', { credential: authenticator.create(body.options) });

    const browser = await pendingLogin(app, owner);
    expect((await browser.get('/auth/pending-login')).body.pending_login.methods).toEqual([
      'totp',
      'passkey',
      'recovery_code',
    ]);
    const copy = withCookie(PENDING, browser.jar.get(PENDING));
    const { options } = (await browser.post('/auth/passkey/options')).body;
    const login = await browser.post('/auth/passkey/login', { credential: authenticator.get(options) });
    expect(login).toMatchObject({ status: 200, body: { session: { aal: 2, auth_method: 'passkey' } } });
    expect(browser.jar.has(PENDING)).toBe(false);
    expect(await copy.get('/auth/pending-login')).toMatchObject(OVER);
  });

  it('is recorded as a login once it succeeds, and makes the browser known only then', async () => {
    const owner = await appOwner(app);
    const before = (await detailsOf(app, owner.id, 'login.succeeded')).length;
    const browser = await pendingLogin(app, owner);
    expect(browser.jar.has('session_id_device')).toBe(false);
    expect(await detailsOf(app, owner.id, 'login.succeeded')).toHaveLength(before);

    expect(await isGood(browser, owner)).toBe(true);
    expect((await detailsOf(app, owner.id, 'login.succeeded')).slice(before)).toEqual([
      { auth_method: 'password', second_step: 'totp' },
    ]);
  });
});

describe('the rows of the second step', () => {
  it('tell a reader of the database no secret, no code and no token', async () => {
    const browser = await loggedInAs(app, 'member');
    const { secret } = (await browser.post('/users/me/totp')).body;
    const its = new AuthenticatorApp(secret);
    const [code = ''] = (await browser.post('/users/me/totp/confirm', { code: its.code() })).body
      .recovery_codes;
    const token = (await pendingLogin(app, browser)).jar.get(PENDING) ?? '';

    const [row] = await app.database.rows('SELECT secret FROM totp_factors WHERE user_id = $1', [browser.id]);
    expect(row.secret.toString('latin1')).not.toContain(secret);
    // Nonce and tag of AES-256-GCM before the text, of which there are 32 letters.
    expect(row.secret).toHaveLength(12 + 16 + 32);
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
    const hashes = await app.database.rows(
      `SELECT encode(code_hash, 'hex') AS hash FROM recovery_codes WHERE user_id = $1
       UNION ALL SELECT encode(token_hash, 'hex') FROM pending_logins WHERE user_id = $1`,
      [browser.id],
    );
    expect(hashes.map(({ hash }) => hash)).toEqual(
      expect.arrayContaining([hashOf(code.replaceAll('-', '')), hashOf(token)]),
    );
  });

  it('and the log neither', async () => {
    const browser = await loggedInAs(app, 'member');
    const { secret } = (await browser.post('/users/me/totp')).body;
    const its = new AuthenticatorApp(secret);
    const { body } = await browser.post('/users/me/totp/confirm', { code: its.code() });
    const pending = await pendingLogin(app, browser);
    const secrets = [secret, ...body.recovery_codes, pending.jar.get(PENDING)];
    await pending.post(STEP, { recovery_code: body.recovery_codes[0] });

    const log = app.log.join('');
    expect(log).toContain('/auth/pending-login/second-factor');
    for (const each of secrets) expect(log).not.toContain(each);
  });
});

describe('a session of both steps', () => {
  it('is recent, and of the second level', async () => {
    const owner = await appOwner(app);
    const browser = await loggedInWithCode(app, owner);
    expect((await browser.get('/users/me')).body.session.aal).toBe(2);
    expect((await browser.post('/users/me/recovery-codes')).status).toBe(200);
  });
});
