import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { derivedKey } from '../../../src/secrets/derived-key.js';
import { loggedIn } from '../../support/accounts.js';
import { detailsOf } from '../../support/audit.js';
import { Authenticator, type Deviation } from '../../support/authenticator.js';
import type { Browser } from '../../support/browser.js';
import { optionsOf, PasskeyOwner } from '../../support/passkeys.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const eventsOf = (userId: string, type: string) => detailsOf(app, userId, type);

const owner = () => PasskeyOwner.in(app);

describe('a login with a passkey', () => {
  it('asks for any passkey of the domain, and so tells nothing of who has an account', async () => {
    const { authenticator } = await owner();
    const browser = app.browser();

    const { body, cookies } = await browser.post('/auth/passkey/options');

    expect(body.options).toEqual({
      challenge: expect.any(String),
      rpId: 'localhost',
      allowCredentials: [],
      userVerification: 'required',
      timeout: 300_000,
    });
    expect(JSON.stringify(body)).not.toContain(authenticator.keys[0]?.id.toString('base64url'));
    expect(cookies).toEqual([
      expect.stringMatching(/^session_id_challenge=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('starts a session of the higher level, notes the use, and records it', async () => {
    const { authenticator, email, id } = await owner();
    const browser = app.browser();

    const options = await optionsOf(browser.post('/auth/passkey/options'));
    const { status, body } = await browser.post('/auth/passkey/login', {
      credential: authenticator.get(options),
    });

    expect(status).toBe(200);
    expect(body.user.email).toBe(email);
    expect(body.session).toMatchObject({ auth_method: 'passkey', aal: 2, current: true });
    const { data } = (await browser.get('/users/me/passkeys')).body;
    expect(data[0].last_used_at).not.toBeNull();
    expect(await eventsOf(id, 'login.succeeded')).toContainEqual({ auth_method: 'passkey' });
  });

  it('ends the session that the browser had', async () => {
    const { authenticator } = await owner();
    const browser = await loggedIn(app);
    const former = app.browser();
    former.jar.set('session_id', browser.jar.get('session_id') ?? '');

    const options = await optionsOf(browser.post('/auth/passkey/options'));
    await browser.post('/auth/passkey/login', { credential: authenticator.get(options) });

    expect((await former.get('/users/me')).status).toBe(401);
  });

  /** One for all that changes nothing. */
  let unmoved: PasskeyOwner | undefined;

  const WRONG: [string, Deviation][] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another RP ID', { rpId: 'evil.example' }],
    ['that is a registration', { type: 'webauthn.create' }],
    ['from a frame in another page', { crossOrigin: true }],
    ['from a frame, put otherwise', { crossOrigin: 'true' }],
    ['without a user present', { isPresent: false }],
    ['that did not verify its user', { isVerified: false }],
    ['whose key was never backed up and now can be', { isBackupEligible: false, isBackedUp: false }],
    ['that names another user', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
    ['that names no user', { userHandle: null }],
  ];

  it.each(WRONG)('refuses a signature %s', async (_, deviation) => {
    unmoved ??= await owner();
    const { authenticator, id } = unmoved;
    const browser = app.browser();
    const options = await optionsOf(browser.post('/auth/passkey/options'));

    const refused = await browser.post('/auth/passkey/login', {
      credential: authenticator.get(options, deviation),
    });

    expect(refused).toMatchObject({ status: 400, body: { code: 'InvalidPasskey' }, cookies: [] });
    expect(await app.database.value('SELECT last_used_at FROM passkeys WHERE user_id = $1', [id])).toBeNull();
  });

  it('refuses at once what would have the service copy as many bytes as a caller says', async () => {
    const beganAt = performance.now();

    for (const id of [{ length: 200_000_000 }, 'A'.repeat(43)]) {
      const credential = { id, rawId: id, response: { clientDataJSON: { length: 200_000_000 } } };
      const browser = app.browser();
      await browser.post('/auth/passkey/options');
      expect((await browser.post('/auth/passkey/login', { credential })).body.code).toBe('InvalidPasskey');
    }

    expect(performance.now() - beganAt).toBeLessThan(10_000);
  });

  it('refuses the signature of another key', async () => {
    const { authenticator } = await owner();
    const browser = app.browser();
    const stranger = new Authenticator();
    stranger.create({
      rp: { id: 'localhost' },
      user: { id: authenticator.keys[0]?.userHandle },
      challenge: '',
    });
    const options = await optionsOf(browser.post('/auth/passkey/options'));

    const forged = stranger.get(options, { credentialId: authenticator.keys[0]?.id });

    expect((await browser.post('/auth/passkey/login', { credential: forged })).body.code).toBe(
      'InvalidPasskey',
    );
  });

  it('is told apart from a passkey that opens no account any more', async () => {
    const { authenticator, browser: home } = await owner();
    const { data } = (await home.get('/users/me/passkeys')).body;
    await home.delete(`/users/me/passkeys/${data[0].id}`);
    const browser = app.browser();
    const options = await optionsOf(browser.post('/auth/passkey/options'));

    const refused = await browser.post('/auth/passkey/login', { credential: authenticator.get(options) });

    expect(refused).toMatchObject({ status: 400, body: { code: 'UnknownPasskey' } });
  });

  it('is worth nothing in another browser, a second time, or after a fresh cookie', async () => {
    const { authenticator } = await owner();
    const browser = app.browser();
    const credential = authenticator.get(await optionsOf(browser.post('/auth/passkey/options')));
    const thief = app.browser();
    await thief.post('/auth/passkey/options');
    const login = (from: Browser) => from.post('/auth/passkey/login', { credential });

    expect((await login(thief)).body.code).toBe('InvalidPasskey');
    expect((await login(app.browser())).body.code).toBe('InvalidPasskey');
    expect((await login(browser)).status).toBe(200);
    expect((await login(browser)).body.code).toBe('InvalidPasskey');
  });

  it('serves two tabs that asked one after the other', async () => {
    const { authenticator } = await owner();
    const browser = app.browser();
    const first = await optionsOf(browser.post('/auth/passkey/options'));
    const second = await optionsOf(browser.post('/auth/passkey/options'));

    for (const options of [second, first]) {
      const { status } = await browser.post('/auth/passkey/login', {
        credential: authenticator.get(options),
      });
      expect(status).toBe(200);
    }
  });

  it('takes nothing that was signed for a step-up or a registration, nor the other way round', async () => {
    const { authenticator, browser } = await owner();
    const forLogin = await optionsOf(browser.post('/auth/passkey/options'));
    const forStepUp = await optionsOf(browser.post('/auth/step-up/options'));
    const forRegistration = await optionsOf(browser.post('/users/me/passkeys/options'));
    const login = (options: object) =>
      browser.post('/auth/passkey/login', { credential: authenticator.get(options) });
    const stepUp = (options: object) =>
      browser.post('/auth/step-up', { credential: authenticator.get(options) });

    const answers = [
      await login(forStepUp),
      await login(forRegistration),
      await stepUp(forLogin),
      await stepUp(forRegistration),
    ];

    expect(answers.map(({ body }) => body.code)).toEqual(Array(4).fill('InvalidPasskey'));
  });

  it('refuses a copy of a key that counts, and records why', async () => {
    const { authenticator, id } = await PasskeyOwner.in(app, new Authenticator(true));
    const [key] = authenticator.keys;
    const login = async () => {
      const browser = app.browser();
      const options = await optionsOf(browser.post('/auth/passkey/options'));
      return browser.post('/auth/passkey/login', { credential: authenticator.get(options) });
    };
    if (!key) throw new Error('no key');

    key.signCount = 5;
    expect((await login()).status).toBe(200);
    key.signCount = 5;
    expect((await login()).body.code).toBe('InvalidPasskey');
    key.signCount = 6;
    expect((await login()).status).toBe(200);
    expect(await eventsOf(id, 'login.failed')).toEqual([{ reason: 'sign_count' }]);
  });

  it('is refused to a disabled account', async () => {
    const { authenticator, id } = await owner();
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [id]);
    const browser = app.browser();
    const options = await optionsOf(browser.post('/auth/passkey/options'));

    const refused = await browser.post('/auth/passkey/login', { credential: authenticator.get(options) });

    expect(refused).toMatchObject({ status: 403, body: { code: 'AccountDisabled' }, cookies: [] });
    expect(await eventsOf(id, 'login.failed')).toEqual([{ reason: 'AccountDisabled' }]);
  });
});

describe('the challenge of a login', () => {
  const nowSeconds = () => Math.floor(Date.now() / 1000);

  /** Options whose challenge is signed again with our key, as no attacker could, after some changes. */
  function withClaims(options: { challenge: string }, changes: object, purpose = 'passkey-login') {
    const claims = jwt.decode(Buffer.from(options.challenge, 'base64url').toString()) as jwt.JwtPayload;
    const key = Buffer.from(derivedKey(app.environment.jwtSecretKey[0], purpose));
    const state = jwt.sign({ ...claims, ...changes }, key);
    return { ...options, challenge: Buffer.from(state).toString('base64url') };
  }

  it.each<[string, string | undefined, (options: { challenge: string }) => { challenge: string }]>([
    ['is taken as it was signed', undefined, (options) => withClaims(options, {})],
    [
      'is refused after ten minutes',
      'InvalidPasskey',
      (options) => withClaims(options, { iat: nowSeconds() - 601, exp: nowSeconds() - 1 }),
    ],
    [
      'is refused with another purpose in it',
      'InvalidPasskey',
      (options) => withClaims(options, { purpose: 'passkey-step-up' }),
    ],
    [
      'is refused with the signature of another purpose',
      'InvalidPasskey',
      (options) => withClaims(options, {}, 'passkey-step-up'),
    ],
    [
      'is refused when it is bound to another browser',
      'InvalidPasskey',
      (options) => withClaims(options, { bound: 'A'.repeat(43) }),
    ],
  ])('%s', async (_, code, change) => {
    const { authenticator } = await owner();
    const browser = app.browser();
    const options = change(await optionsOf(browser.post('/auth/passkey/options')));

    const { body } = await browser.post('/auth/passkey/login', { credential: authenticator.get(options) });

    expect(body.code).toBe(code);
  });
});
