import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { derivedKey } from '../../src/secrets/derived-key.js';
import { loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { Authenticator, cbor, type Deviation } from '../support/authenticator.js';
import type { Answer, Browser } from '../support/browser.js';
import { PasskeyOwner } from '../support/passkeys.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const eventsOf = async (userId: string, type: string): Promise<object[]> => {
  const rows = await app.database.rows(
    'SELECT details FROM audit_events WHERE user_id = $1 AND type = $2 ORDER BY id',
    [userId, type],
  );
  return rows.map(({ details }) => details);
};

const passkeysOf = (userId: string): Promise<number> =>
  app.database.value('SELECT count(*)::int FROM passkeys WHERE user_id = $1', [userId]);

/** Lets the login of a session be so long ago that what is dangerous asks for a proof. */
const age = (userId: string) =>
  app.database.rows(
    "UPDATE sessions SET authenticated_at = authenticated_at - interval '11 minutes' WHERE user_id = $1",
    [userId],
  );

const owner = () => PasskeyOwner.in(app);

const optionsOf = async (answer: Promise<Answer>) => (await answer).body.options;

describe('a registration', () => {
  it('asks the browser for a discoverable passkey that verifies its user', async () => {
    const browser = await loggedInAs(app, 'member');

    const options = await optionsOf(browser.post('/users/me/passkeys/options'));

    expect(options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{40,}$/),
      rp: { id: 'localhost', name: 'Latchkey' },
      user: {
        id: Buffer.from(browser.id.replaceAll('-', ''), 'hex').toString('base64url'),
        name: browser.email,
        displayName: browser.email,
      },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
      extensions: { credProps: true },
      timeout: 300_000,
    });
  });

  it('makes a passkey, lists it without its key, and mails the owner a way to undo it', async () => {
    const browser = await loggedInAs(app, 'member');
    const authenticator = new Authenticator();
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));

    const made = await browser.post('/users/me/passkeys', {
      credential: authenticator.create(options),
      name: 'The <b>phone</b> at evil.example/login',
    });

    expect(made.status).toBe(201);
    expect(made.body.passkey).toEqual({
      id: expect.any(String),
      name: 'The <b>phone</b> at evil.example/login',
      credential_id: authenticator.keys[0]?.id.toString('base64url'),
      backed_up: true,
      created_at: expect.any(String),
      last_used_at: null,
    });
    expect((await browser.get('/users/me/passkeys')).body).toEqual({ data: [made.body.passkey] });
    const mail = await app.mailbox.last(browser.email);
    expect(mail.subject).toBe('A new passkey for your account');
    expect(mail.text).not.toContain('evil.example/login');
    expect(await eventsOf(browser.id, 'passkey.added')).toEqual([{ passkey_id: made.body.passkey.id }]);

    const again = await optionsOf(browser.post('/users/me/passkeys/options'));
    expect(again.excludeCredentials).toEqual([
      { type: 'public-key', id: made.body.passkey.credential_id, transports: ['hybrid', 'internal'] },
    ]);
  });

  it('names a passkey after the browser in words of its own', async () => {
    const browser = await loggedInAs(app, 'member');
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' };

    const credential = new Authenticator().create(options);
    const { body } = await browser.post('/users/me/passkeys', { credential }, agent);

    expect(body.passkey.name).toBe('Firefox on Windows');
  });

  it('asks for a recent proof, at both of its steps', async () => {
    const browser = await loggedInAs(app, 'member');
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    await age(browser.id);

    const credential = new Authenticator().create(options);
    const answers = [
      await browser.post('/users/me/passkeys/options'),
      await browser.post('/users/me/passkeys', { credential }),
    ];

    for (const answer of answers)
      expect(answer).toMatchObject({ status: 403, body: { code: 'StepUpRequired', methods: ['password'] } });
    expect(await passkeysOf(browser.id)).toBe(0);
  });

  /** One for all that changes nothing. */
  let member: Awaited<ReturnType<typeof loggedInAs>> | undefined;

  const WRONG: [string, Deviation][] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another RP ID', { rpId: 'evil.example' }],
    ['that is a login', { type: 'webauthn.get' }],
    ['from a frame in another page', { crossOrigin: true }],
    ['without a user present', { isPresent: false }],
    ['that did not verify its user', { isVerified: false }],
    ['with an algorithm that was not offered', { algorithm: -47 }],
    ['with a challenge of its own', { challenge: Buffer.from('a challenge').toString('base64url') }],
    ['of a format that names its maker', { format: 'tpm' }],
    [
      'with a certificate',
      {
        format: 'packed',
        statement: new Map<string, unknown>([
          ['alg', -7],
          ['sig', Buffer.alloc(70)],
          ['x5c', [Buffer.alloc(100)]],
        ]),
      },
    ],
    ['with a statement where none belongs', { statement: new Map([['alg', -7]]) }],
    ['whose id is too short', { credentialId: Buffer.alloc(15, 1) }],
    ['whose id is too long', { credentialId: Buffer.alloc(1024, 1) }],
  ];

  it.each(WRONG)('refuses a passkey %s, and changes nothing', async (_, deviation) => {
    member ??= await loggedInAs(app, 'member');
    const browser = member;
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));

    const credential = new Authenticator().create(options, deviation);
    const refused = await browser.post('/users/me/passkeys', { credential });

    expect(refused).toMatchObject({ status: 400, body: { code: 'InvalidPasskey' } });
    expect(await passkeysOf(browser.id)).toBe(0);
    expect(await eventsOf(browser.id, 'passkey.added')).toEqual([]);
  });

  it('takes a challenge once, and only in the session that it was made for', async () => {
    const browser = await loggedInAs(app, 'member');
    const other = await loggedIn(app, browser.email);
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    const make = (from: Browser) =>
      from.post('/users/me/passkeys', { credential: new Authenticator().create(options) });

    expect((await make(other)).body.code).toBe('InvalidPasskey');
    expect((await make(browser)).status).toBe(201);
    expect((await make(browser)).body.code).toBe('InvalidPasskey');
    expect(await passkeysOf(browser.id)).toBe(1);
  });

  it('refuses a credential that is registered already, for whichever user', async () => {
    const { authenticator } = await owner();
    const browser = await loggedInAs(app, 'member');
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));

    const credential = new Authenticator().create(options, { credentialId: authenticator.keys[0]?.id });
    const refused = await browser.post('/users/me/passkeys', { credential });

    expect(refused).toMatchObject({ status: 409, body: { code: 'PasskeyAlreadyRegistered' } });
    expect(await passkeysOf(browser.id)).toBe(0);
  });

  it('refuses the 21st passkey of an account, also when several are made at once', async () => {
    const browser = await loggedInAs(app, 'member');
    await app.database.rows(
      `INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, backup_eligible, backed_up, name)
       SELECT gen_random_uuid(), $1, 'localhost', uuid_send(gen_random_uuid()), '', 0, true, true, 'one of many'
         FROM generate_series(1, 19)`,
      [browser.id],
    );
    const begun = [
      await optionsOf(browser.post('/users/me/passkeys/options')),
      await optionsOf(browser.post('/users/me/passkeys/options')),
    ];

    const made = await Promise.all(
      begun.map((options) =>
        browser.post('/users/me/passkeys', { credential: new Authenticator().create(options) }),
      ),
    );

    expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await browser.post('/users/me/passkeys/options')).body.code).toBe('TooManyPasskeys');
  });

  it('survives what no authenticator sends', async () => {
    const browser = await loggedInAs(app, 'member');
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    const honest = new Authenticator().create(options);
    const withResponse = (response: object) => ({ ...honest, response: { ...honest.response, ...response } });
    let deep: unknown = 1;
    for (let depth = 0; depth < 2_000; depth++) deep = [deep];
    const hostile = [
      {},
      { ...honest, response: null },
      { ...honest, response: 'text' },
      { ...honest, id: 7 },
      { ...honest, rawId: 'another' },
      { ...honest, type: 'password' },
      withResponse({ clientDataJSON: null }),
      withResponse({ clientDataJSON: Buffer.from('null').toString('base64url') }),
      withResponse({
        clientDataJSON: Buffer.from(`{"challenge":${'['.repeat(20_000)}`).toString('base64url'),
      }),
      withResponse({ clientDataJSON: { length: 200_000_000 } }),
      withResponse({ attestationObject: undefined }),
      withResponse({ attestationObject: 17 }),
      withResponse({ attestationObject: { length: 200_000_000 } }),
      withResponse({ attestationObject: Buffer.alloc(33_000, 0xa1).toString('base64url') }),
      withResponse({ attestationObject: Buffer.alloc(33_000, 0x81).toString('base64url') }),
      withResponse({ attestationObject: Buffer.alloc(33_000, 0xff).toString('base64url') }),
      withResponse({ attestationObject: cbor(deep).toString('base64url') }),
      withResponse({ attestationObject: cbor(new Map([['fmt', 'none']])).toString('base64url') }),
    ];

    for (const credential of hostile) {
      const { status, body } = await browser.post('/users/me/passkeys', { credential });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'InvalidPasskey' });
    }
    expect(await passkeysOf(browser.id)).toBe(0);
    expect((await browser.post('/users/me/passkeys', { credential: honest })).status).toBe(201);
  });

  it.each(['....', '=', ' ', '+'])(
    'refuses bytes with %j after them, which the library would read otherwise than we do',
    async (rest) => {
      const browser = await loggedInAs(app, 'member');
      const options = await optionsOf(browser.post('/users/me/passkeys/options'));
      const honest = new Authenticator().create(options);

      for (const member of ['attestationObject', 'clientDataJSON'] as const) {
        const response: Record<string, unknown> = { ...honest.response };
        response[member] += rest;
        const credential = { ...honest, response };
        expect((await browser.post('/users/me/passkeys', { credential })).body.code).toBe('InvalidPasskey');
      }
    },
  );
});

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

describe('a passkey', () => {
  it('gets another name', async () => {
    const { browser, id } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    const renamed = await browser.patch(`/users/me/passkeys/${passkey.id}`, { name: 'The blue key' });

    expect(renamed.body.passkey).toEqual({ ...passkey, name: 'The blue key' });
    expect(await eventsOf(id, 'passkey.renamed')).toEqual([{ passkey_id: passkey.id }]);
  });

  it('is removed after a recent proof, and the owner is told', async () => {
    const { browser, email, id } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    await age(id);

    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['password', 'passkey'],
    });
    await browser.post('/auth/step-up', { password: PASSWORD });
    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(204);

    expect((await browser.get('/users/me/passkeys')).body.data).toEqual([]);
    expect((await app.mailbox.last(email)).subject).toBe('A passkey was removed from your account');
    expect(await eventsOf(id, 'passkey.removed')).toEqual([{ passkey_id: passkey.id }]);
  });

  it('of another user is not found', async () => {
    const { browser } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    const stranger = await loggedIn(app);

    expect((await stranger.patch(`/users/me/passkeys/${passkey.id}`, { name: 'mine' })).status).toBe(404);
    expect((await stranger.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(404);
  });

  it('lets the password go, and is then the last way in', async () => {
    const { browser, authenticator } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    expect((await browser.send('DELETE', '/password', { current_password: PASSWORD })).status).toBe(204);
    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).body.code).toBe('LastLoginMethod');

    const other = app.browser();
    const options = await optionsOf(other.post('/auth/passkey/options'));
    expect((await other.post('/auth/passkey/login', { credential: authenticator.get(options) })).status).toBe(
      200,
    );
  });

  it('of another domain counts as absent', async () => {
    const { browser, authenticator, id } = await owner();
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;
    await app.database.rows("UPDATE passkeys SET rp_id = 'former.example' WHERE user_id = $1", [id]);

    expect((await browser.get('/users/me/passkeys')).body.data).toEqual([]);
    expect((await browser.send('DELETE', '/password', { current_password: PASSWORD })).body.code).toBe(
      'LastLoginMethod',
    );
    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(404);
    expect((await browser.post('/auth/step-up/options')).body.code).toBe('NoSecondFactor');
    const other = app.browser();
    const options = await optionsOf(other.post('/auth/passkey/options'));
    const refused = await other.post('/auth/passkey/login', { credential: authenticator.get(options) });
    expect(refused.body.code).toBe('UnknownPasskey');
  });
});

describe('a step-up with a passkey', () => {
  it('names the passkeys of the user, and raises the level of the session', async () => {
    const { browser, authenticator, id } = await owner();
    await age(id);
    const [passkey] = (await browser.get('/users/me/passkeys')).body.data;

    const options = await optionsOf(browser.post('/auth/step-up/options'));
    expect(options.allowCredentials).toEqual([
      { type: 'public-key', id: passkey.credential_id, transports: ['hybrid', 'internal'] },
    ]);
    // An authenticator may leave the user out where its passkey was named.
    const credential = authenticator.get(options, { userHandle: null });
    const { status, body } = await browser.post('/auth/step-up', { credential });

    expect(status).toBe(200);
    expect(body.session).toMatchObject({ auth_method: 'password', aal: 2 });
    expect((await browser.delete(`/users/me/passkeys/${passkey.id}`)).status).toBe(204);
    expect(await eventsOf(id, 'step_up.succeeded')).toEqual([{ method: 'passkey' }]);
  });

  it('keeps the level when the password proves it the next time', async () => {
    const { browser, authenticator } = await owner();
    const options = await optionsOf(browser.post('/auth/step-up/options'));
    await browser.post('/auth/step-up', { credential: authenticator.get(options) });

    const { body } = await browser.post('/auth/step-up', { password: PASSWORD });

    expect(body.session.aal).toBe(2);
  });

  it('refuses the passkey of another user, and records that', async () => {
    const { browser, id } = await owner();
    const other = await owner();
    const options = await optionsOf(browser.post('/auth/step-up/options'));

    const refused = await browser.post('/auth/step-up', { credential: other.authenticator.get(options) });

    expect(refused.body.code).toBe('InvalidPasskey');
    expect(await eventsOf(id, 'step_up.failed')).toEqual([{ method: 'passkey' }]);
  });

  it('takes exactly one proof', async () => {
    const { browser, authenticator } = await owner();
    const options = await optionsOf(browser.post('/auth/step-up/options'));
    const credential = authenticator.get(options);

    for (const body of [{}, { password: PASSWORD, credential }, { password: null }])
      expect((await browser.post('/auth/step-up', body)).body.code).toBe('ValidationFailed');
    expect((await browser.post('/auth/step-up', { credential, password: null })).status).toBe(200);
  });

  it('is all that an account without a password has', async () => {
    const { browser, id } = await owner();
    await browser.send('DELETE', '/password', { current_password: PASSWORD });
    await age(id);

    expect((await browser.delete('/users/me')).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['passkey'],
    });
    expect((await browser.post('/auth/step-up', { password: PASSWORD })).body).toMatchObject({
      code: 'StepUpRequired',
      methods: ['passkey'],
    });
  });
});

describe('an owner who secures the account', () => {
  it('removes the passkeys made within three days, and keeps the older ones', async () => {
    const { browser, email, id } = await owner();
    await app.database.rows(
      "UPDATE passkeys SET created_at = now() - interval '73 hours', name = 'the old one' WHERE user_id = $1",
      [id],
    );
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    await browser.post('/users/me/passkeys', { credential: new Authenticator().create(options) });

    await app.browser().post('/auth/secure-account', { token: await app.mailbox.token(email) });

    const rows = await app.database.rows('SELECT name FROM passkeys WHERE user_id = $1', [id]);
    expect(rows).toEqual([{ name: 'the old one' }]);
    expect(await eventsOf(id, 'passkey.removed')).toEqual([{}]);
  });

  it('removes the passkey that the mail of the link reported, also when its week is almost over', async () => {
    const { browser, email, id } = await owner();
    const rename = "UPDATE passkeys SET name = 'the old one' WHERE user_id = $1";
    await app.database.rows(rename, [id]);
    const late = (table: string, column: string) =>
      app.database.rows(`UPDATE ${table} SET ${column} = ${column} - interval '6 days' WHERE user_id = $1`, [
        id,
      ]);
    await late('passkeys', 'created_at');
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    await browser.post('/users/me/passkeys', { credential: new Authenticator().create(options) });
    const token = await app.mailbox.token(email);
    await late('passkeys', 'created_at');
    for (const column of ['created_at', 'expires_at']) await late('one_time_tokens', column);

    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);

    const rows = await app.database.rows('SELECT name FROM passkeys WHERE user_id = $1', [id]);
    expect(rows).toEqual([{ name: 'the old one' }]);
  });
});

describe('a deployment whose host is an IP address, or whose environment is unknown', () => {
  it.each([{ SVC_BASE_WEB_URL: 'http://127.0.0.1:5173' }, { SVC_BASE_WEB_URL: 'http://[::1]:5173' }])(
    'has no passkeys: %o',
    async (variables) => {
      const bare = await TestApp.start(variables, { database: app.database });
      const browser = bare.browser();

      const answers = [await browser.post('/auth/passkey/options'), await browser.get('/users/me/passkeys')];
      await bare.nest.close();

      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    },
  );
});
