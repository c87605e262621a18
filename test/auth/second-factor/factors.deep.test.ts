import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TotpService } from '../../../src/auth/second-factor/totp.service.js';
import { Encryption } from '../../../src/secrets/encryption.js';
import { activeSessions, freshAddress, loggedIn, loggedInAs, PASSWORD } from '../../support/accounts.js';
import { detailsOf } from '../../support/audit.js';
import { Authenticator } from '../../support/authenticator.js';
import {
  AuthenticatorApp,
  addApp,
  ageProof,
  appOwner,
  loggedInWithCode,
  pendingLogin,
  SECOND_FACTOR,
} from '../../support/authenticator-app.js';
import type { Answer, Browser } from '../../support/browser.js';
import { inLockStep } from '../../support/lock-step.js';
import { optionsOf, PasskeyOwner } from '../../support/passkeys.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const factorsOf = async (browser: Browser) => (await browser.get('/users/me/factors')).body.factors;
const subjectsTo = async (email: string) => (await app.mailbox.to(email)).map(({ subject }) => subject);
const needsProof = (methods: string[]) => ({ status: 403, body: { code: 'StepUpRequired', methods } });

async function addPasskey(browser: Browser): Promise<{ id: string; authenticator: Authenticator }> {
  const authenticator = new Authenticator();
  const { body } = await browser.post('/users/me/passkeys/options');
  const credential = authenticator.create(body.options);
  return { id: (await browser.post('/users/me/passkeys', { credential })).body.passkey.id, authenticator };
}

describe('one-time passwords', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238, appendix B: at %d seconds', async (seconds, code) => {
    const sealed = new Encryption(app.environment.jwtSecretKey, 'totp').encrypt(
      // '12345678901234567890' in Base32.
      'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    );
    const step = Math.floor(seconds / 30);
    const its = (presentStep: number) => app.nest.get(TotpService).stepOf(code, sealed, presentStep);
    for (const present of [step - 1, step, step + 1]) expect(await its(present)).toBe(step);
    for (const present of [step - 2, step + 2]) expect(await its(present)).toBeNull();
  });
});

describe('an authenticator app', () => {
  it('is added by a code of it, and changes the login from then on', async () => {
    const browser = await loggedInAs(app, 'member');
    const { id, email } = browser;
    const elsewhere = await loggedIn(app, email);
    const off = {
      totp: null,
      passkeys: 0,
      recovery_codes_left: 0,
      recovery_codes_kept_at: null,
      second_step: 'off',
    };
    expect(await factorsOf(browser)).toEqual(off);

    const { secret, uri } = (await browser.post('/users/me/totp')).body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const { protocol, host, pathname, searchParams } = new URL(uri);
    expect({ protocol, host }).toEqual({ protocol: 'otpauth:', host: 'totp' });
    expect(decodeURIComponent(pathname)).toContain(email);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(await factorsOf(browser)).toEqual(off);
    expect((await loggedIn(app, email)).jar.has('session_id')).toBe(true);

    const its = new AuthenticatorApp(secret);
    expect((await browser.post('/users/me/totp/confirm', { code: its.wrongCode() })).body.code).toBe(
      'InvalidCode',
    );
    expect(await factorsOf(browser)).toEqual(off);
    const former = browser.jar.get('session_id');
    const { status, body } = await browser.post('/users/me/totp/confirm', { code: its.code() });
    expect(status).toBe(200);
    expect(body.session).toMatchObject({ aal: 2, current: true });
    expect(new Set(body.recovery_codes).size).toBe(10);
    for (const code of body.recovery_codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-?){4}$/);

    expect(browser.jar.get('session_id')).not.toBe(former);
    expect((await elsewhere.get('/users/me')).status).toBe(401);
    expect(await activeSessions(app, browser)).toBe(1);
    expect(await factorsOf(browser)).toEqual({
      totp: { created_at: expect.any(String) },
      passkeys: 0,
      recovery_codes_left: 10,
      recovery_codes_kept_at: null,
      second_step: 'on',
    });
    expect(await subjectsTo(email)).toContain('Your login now has a second step');
    expect(await detailsOf(app, id, 'second_step.on')).toHaveLength(1);
  });

  it('ends the logins under way when it is added', async () => {
    const owner = await appOwner(app);
    await addPasskey(owner.browser);
    await owner.browser.delete('/users/me/totp');
    // Such a login has no second step now; only a requirement makes it wait.
    await app.database.rows(
      `INSERT INTO pending_logins (token_hash, user_id, auth_method, password_changed_at, expires_at)
       SELECT sha256('a token'), id, 'password', password_changed_at, now() + interval '10 minutes'
         FROM users WHERE id = $1`,
      [owner.id],
    );
    const thief = app.browser();
    thief.jar.set('session_id_pending', 'a token');
    expect((await thief.get('/auth/pending-login')).status).toBe(200);
    await addApp(app, owner);
    expect((await thief.get('/auth/pending-login')).status).toBe(401);
  });

  it('is one at most', async () => {
    const { browser, app: its } = await appOwner(app);
    const on = { status: 409, body: { code: 'TotpAlreadyOn' } };
    expect(await browser.post('/users/me/totp')).toMatchObject(on);
    expect(await browser.post('/users/me/totp/confirm', { code: its.code() })).toMatchObject(on);
    expect((await browser.post('/auth/step-up', { totp: its.code() })).status).toBe(200);
  });

  it('whose secret was not confirmed for an hour is void', async () => {
    const browser = await loggedInAs(app, 'member');
    const its = new AuthenticatorApp((await browser.post('/users/me/totp')).body.secret);
    await app.database.rows(
      `UPDATE totp_factors SET created_at = created_at - interval '1 hour' WHERE user_id = $1`,
      [browser.id],
    );
    const late = await browser.post('/users/me/totp/confirm', { code: its.code() });
    expect(late).toMatchObject({ status: 400, body: { code: 'InvalidCode' } });
    expect((await browser.delete('/users/me/totp')).status).toBe(404);
    const again = new AuthenticatorApp((await browser.post('/users/me/totp')).body.secret);
    expect((await browser.post('/users/me/totp/confirm', { code: its.code() })).status).toBe(400);
    expect((await browser.post('/users/me/totp/confirm', { code: again.code() })).status).toBe(200);
  });

  it('is removed with its recovery codes, and the owner learns of it', async () => {
    const { browser, email, id } = await appOwner(app);
    expect((await browser.delete('/users/me/totp')).status).toBe(204);
    expect(await factorsOf(browser)).toMatchObject({
      totp: null,
      recovery_codes_left: 0,
      second_step: 'off',
    });
    expect(await subjectsTo(email)).toContain('Your authenticator app was removed');
    expect(await detailsOf(app, id, 'second_step.off')).toHaveLength(1);
    expect((await app.browser().post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
    expect((await browser.delete('/users/me/totp')).status).toBe(404);
  });

  it('leaves the recovery codes to a passkey, with which they go', async () => {
    const { browser } = await appOwner(app);
    const { id } = await addPasskey(browser);
    await browser.delete('/users/me/totp');
    expect(await factorsOf(browser)).toMatchObject({
      passkeys: 1,
      recovery_codes_left: 10,
      second_step: 'off',
    });
    expect((await browser.delete(`/users/me/passkeys/${id}`)).status).toBe(204);
    expect((await factorsOf(browser)).recovery_codes_left).toBe(0);
  });
});

describe('a session that a factor raised', () => {
  const levelIn = async (browser: Browser) => {
    const { status, body } = await browser.get('/users/me');
    return status === 200 ? body.session.aal : status;
  };
  const levelsIn = (...browsers: Browser[]) => Promise.all(browsers.map(levelIn));
  const raise = async (browser: Browser, authenticator: Authenticator) => {
    const { body } = await browser.post('/auth/step-up/options');
    const proof = { credential: authenticator.get(body.options) };
    expect((await browser.post('/auth/step-up', proof)).body.session.aal).toBe(2);
  };

  it('ends once its owner removes the passkey elsewhere, and none that the password began ends with it', async () => {
    const { browser, email, authenticator } = await PasskeyOwner.in(app);
    const [raised, plain] = [await loggedIn(app, email), await loggedIn(app, email)];
    await raise(raised, authenticator);
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(204);
    expect(await levelsIn(browser, raised, plain)).toEqual([1, 401, 1]);
  });

  it('ends once its owner removes the app elsewhere, also where a passkey is left', async () => {
    const owner = await appOwner(app);
    const byCode = await loggedInWithCode(app, owner);
    await addPasskey(owner.browser);

    expect((await owner.browser.delete('/users/me/totp')).status).toBe(204);
    expect(await levelsIn(owner.browser, byCode)).toEqual([2, 401]);
    expect(await detailsOf(app, owner.id, 'second_step.off')).toEqual([
      { kept_session_id: (await owner.browser.get('/users/me')).body.session.id },
    ]);
  });

  it('keeps its level when another factor than the one that raised it is removed', async () => {
    const owner = await appOwner(app);
    const { id, authenticator } = await addPasskey(owner.browser);
    const byCode = await loggedInWithCode(app, owner);
    await raise(byCode, authenticator);

    expect((await owner.browser.delete(`/users/me/passkeys/${id}`)).status).toBe(204);
    expect(await levelsIn(owner.browser, byCode)).toEqual([2, 2]);
  });

  it.each(['password', 'passkey'])(
    'falls to the lower level when it removes the last factor itself: one begun by %s',
    async (begunBy) => {
      const { browser, authenticator } = await PasskeyOwner.in(app);
      if (begunBy === 'password') await raise(browser, authenticator);
      else {
        const options = await optionsOf(browser.post('/auth/passkey/options'));
        await browser.post('/auth/passkey/login', { credential: authenticator.get(options) });
      }
      expect(await levelIn(browser)).toBe(2);
      const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

      expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(204);
      expect(await levelIn(browser)).toBe(1);
    },
  );

  it('ends once its owner makes new recovery codes elsewhere, where an old one raised it', async () => {
    const owner = await appOwner(app);
    const [byCode, byApp] = [await pendingLogin(app, owner), await loggedInWithCode(app, owner)];
    await byCode.post(SECOND_FACTOR, { recovery_code: owner.recoveryCodes[0] });

    expect((await owner.browser.post('/users/me/recovery-codes')).status).toBe(200);
    expect(await levelsIn(owner.browser, byCode, byApp)).toEqual([2, 401, 2]);
  });

  it('falls to it with a recovery code too, which goes with the last factor', async () => {
    const owner = await appOwner(app);
    const byCode = await pendingLogin(app, owner);
    await byCode.post(SECOND_FACTOR, { recovery_code: owner.recoveryCodes[0] });
    expect(await levelIn(byCode)).toBe(2);

    expect((await owner.browser.delete('/users/me/totp')).status).toBe(204);
    expect(await levelsIn(owner.browser, byCode)).toEqual([1, 1]);
  });
});

describe('recovery codes', () => {
  it('are made anew in place of those before, and the owner learns of it', async () => {
    const owner = await appOwner(app);
    const { body } = await owner.browser.post('/users/me/recovery-codes');
    expect(body.recovery_codes).toHaveLength(10);
    expect(await subjectsTo(owner.email)).toContain('You have new recovery codes');
    expect(await detailsOf(app, owner.id, 'recovery_codes.made')).toHaveLength(1);

    const browser = await pendingLogin(app, owner);
    const former = await browser.post(SECOND_FACTOR, { recovery_code: owner.recoveryCodes[0] });
    expect(former.body.code).toBe('InvalidCode');
    const done = await browser.post(SECOND_FACTOR, { recovery_code: body.recovery_codes[9] });
    expect(done).toMatchObject({ status: 200, body: { recovery_codes_left: 9 } });
    expect(await detailsOf(app, owner.id, 'recovery_code.used')).toEqual([{ left: 9 }]);
  });

  it('count as kept once the owner says so, until there are new ones', async () => {
    const { browser } = await appOwner(app);
    expect((await browser.post('/users/me/recovery-codes/kept')).status).toBe(204);
    const { recovery_codes_kept_at: keptAt } = await factorsOf(browser);
    expect(Date.now() - Date.parse(keptAt)).toBeLessThan(60_000);
    expect((await browser.post('/users/me/recovery-codes/kept')).status).toBe(204);
    expect((await factorsOf(browser)).recovery_codes_kept_at).toBe(keptAt);

    await browser.post('/users/me/recovery-codes');
    expect((await factorsOf(browser)).recovery_codes_kept_at).toBeNull();
  });

  it('are nothing to keep for a user who has none', async () => {
    const browser = await loggedInAs(app, 'member');
    expect((await browser.post('/users/me/recovery-codes/kept')).status).toBe(204);
    expect((await factorsOf(browser)).recovery_codes_kept_at).toBeNull();
  });

  it('are for a factor: an app that is confirmed, or a passkey', async () => {
    const browser = await loggedInAs(app, 'member');
    const none = { status: 409, body: { code: 'NoSecondFactor' } };
    expect(await browser.post('/users/me/recovery-codes')).toMatchObject(none);
    await browser.post('/users/me/totp');
    expect(await browser.post('/users/me/recovery-codes')).toMatchObject(none);
    await addPasskey(browser);
    expect((await browser.post('/users/me/recovery-codes')).body.recovery_codes).toHaveLength(10);
    expect((await factorsOf(browser)).second_step).toBe('off');
  });

  it('of another account do not count', async () => {
    const [one, other] = [await appOwner(app), await appOwner(app)];
    const [recovery_code] = other.recoveryCodes;
    expect((await one.browser.post('/auth/step-up', { recovery_code })).body.code).toBe('InvalidCode');
    expect((await other.browser.post('/auth/step-up', { recovery_code })).status).toBe(200);
  });
});

/** What the thief of a session that is not recent must not do, though they may have the password as well. */
const DANGEROUS: Record<string, (browser: Browser) => Promise<Answer>> = {
  'POST /users/me/totp': (browser) => browser.post('/users/me/totp'),
  'POST /users/me/totp/confirm': (browser) => browser.post('/users/me/totp/confirm', { code: '123456' }),
  'DELETE /users/me/totp': (browser) => browser.delete('/users/me/totp'),
  'POST /users/me/recovery-codes': (browser) => browser.post('/users/me/recovery-codes'),
  'POST /users/me/passkeys/options': (browser) => browser.post('/users/me/passkeys/options'),
  'POST /users/me/passkeys': (browser) => browser.post('/users/me/passkeys', { credential: {} }),
  'POST /users/me/email': (browser) =>
    browser.post('/users/me/email', { new_email: freshAddress(), current_password: PASSWORD }),
  'POST /password/update': (browser) =>
    browser.post('/password/update', { current_password: PASSWORD, new_password: `${PASSWORD} 2` }),
  'DELETE /password': (browser) => browser.send('DELETE', '/password', { current_password: PASSWORD }),
  'DELETE /users/me': (browser) => browser.send('DELETE', '/users/me', { current_password: PASSWORD }),
};

describe('a session whose owner has an authenticator app', () => {
  it.each(Object.keys(DANGEROUS))('asks for a proof before %s, with password or without', async (route) => {
    const { browser, id } = await appOwner(app);
    await ageProof(app, browser);
    expect(await DANGEROUS[route]?.(browser)).toMatchObject(needsProof(['totp', 'recovery_code']));
    expect(await factorsOf(browser)).toMatchObject({
      passkeys: 0,
      recovery_codes_left: 10,
      second_step: 'on',
    });
    expect(await detailsOf(app, id, 'access.refused')).toEqual([]);
  });

  it.each(['POST /users/me/email', 'POST /password/update', 'DELETE /users/me'])(
    'does %s with the password once it was proved',
    async (route) => {
      const { browser, app: its } = await appOwner(app);
      await ageProof(app, browser);
      expect((await browser.post('/auth/step-up', { totp: its.code() })).status).toBe(200);
      expect((await DANGEROUS[route]?.(browser))?.status).toBeLessThan(300);
    },
  );

  it('is proved by the app, a recovery code or a passkey, and not by the password', async () => {
    const { browser, id, app: its, recoveryCodes } = await appOwner(app);
    const { authenticator } = await addPasskey(browser);
    const methods = ['totp', 'passkey', 'recovery_code'];
    await ageProof(app, browser);
    expect(await browser.post('/auth/step-up', { password: PASSWORD })).toMatchObject(needsProof(methods));
    expect(await browser.post('/users/me/totp')).toMatchObject(needsProof(methods));

    for (const proof of [
      async () => ({ totp: its.code() }),
      async () => ({ recovery_code: recoveryCodes[0] }),
      async () => {
        const { body } = await browser.post('/auth/step-up/options');
        return { credential: authenticator.get(body.options) };
      },
    ]) {
      await ageProof(app, browser);
      const former = browser.jar.get('session_id');
      expect(await browser.post('/auth/step-up', await proof())).toMatchObject({
        status: 200,
        body: { session: { aal: 2 } },
      });
      expect(browser.jar.get('session_id')).not.toBe(former);
      expect((await browser.post('/users/me/passkeys/options')).status).toBe(200);
    }
    expect(await detailsOf(app, id, 'step_up.succeeded')).toEqual(
      ['totp', 'recovery_code', 'passkey'].map((method) => ({ method })),
    );
  });

  it('takes exactly one proof', async () => {
    const { browser, app: its, recoveryCodes } = await appOwner(app);
    for (const body of [{}, { totp: its.code(), password: PASSWORD }, { totp: null }])
      expect((await browser.post('/auth/step-up', body)).body.code).toBe('ValidationFailed');
    const both = { totp: its.code(), recovery_code: recoveryCodes[0] };
    expect((await browser.post('/auth/step-up', both)).body.code).toBe('ValidationFailed');
    expect((await browser.post('/auth/step-up', { totp: its.code() })).status).toBe(200);
  });
});

describe('a change of the factors whose session the owner ends meanwhile', () => {
  it.each<[string, (browser: Browser) => Promise<Answer>]>([
    ['a new app', (browser) => browser.post('/users/me/totp')],
    ['no app', (browser) => browser.delete('/users/me/totp')],
    ['new recovery codes', (browser) => browser.post('/users/me/recovery-codes')],
  ])('is not made: %s', async (_, change) => {
    const owner = await appOwner(app);
    const { browser, id, recoveryCodes } = owner;
    const sql = `WITH held AS (SELECT FROM users WHERE id = $1 FOR UPDATE)
                 UPDATE sessions SET invalidated_at = now() WHERE user_id = $1 AND EXISTS (SELECT FROM held)`;
    const [answer] = await inLockStep(app.database, { sql, parameters: [id], waiting: 1 }, () => [
      change(browser),
    ]);
    expect(answer?.status).toBe(401);
    const login = await pendingLogin(app, owner);
    const [recovery_code] = recoveryCodes;
    expect((await login.post(SECOND_FACTOR, { recovery_code })).body.recovery_codes_left).toBe(9);
  });

  it('is no proof by password either, once an app was added', async () => {
    const browser = await loggedInAs(app, 'member');
    const sql = `WITH held AS (SELECT id FROM users WHERE id = $1 FOR UPDATE)
                 INSERT INTO totp_factors (user_id, secret, confirmed_at) SELECT id, '', now() FROM held`;
    const [answer] = await inLockStep(app.database, { sql, parameters: [browser.id], waiting: 1 }, () => [
      browser.post('/auth/step-up', { password: PASSWORD }),
    ]);
    expect(answer).toMatchObject(needsProof(['totp']));
  });
});

describe('a session whose owner has no second step', () => {
  it('is proved by the password, and by no recovery code', async () => {
    const browser = await loggedInAs(app, 'member');
    await addPasskey(browser);
    const [recovery_code] = (await browser.post('/users/me/recovery-codes')).body.recovery_codes;
    await ageProof(app, browser);
    expect(await browser.post('/users/me/totp')).toMatchObject(needsProof(['password', 'passkey']));
    for (const proof of [{ recovery_code }, { totp: '123456' }])
      expect(await browser.post('/auth/step-up', proof)).toMatchObject(needsProof(['password', 'passkey']));
    expect(await browser.post('/auth/step-up', { password: PASSWORD })).toMatchObject({
      status: 200,
      body: { session: { aal: 1 } },
    });
  });
});
