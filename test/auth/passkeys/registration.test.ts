import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs } from '../../support/accounts.js';
import { detailsOf } from '../../support/audit.js';
import { Authenticator, cbor, type Deviation } from '../../support/authenticator.js';
import type { Browser } from '../../support/browser.js';
import { optionsOf, PasskeyOwner } from '../../support/passkeys.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const eventsOf = (userId: string, type: string) => detailsOf(app, userId, type);

const passkeysOf = (userId: string): Promise<number> =>
  app.database.value('SELECT count(*)::int FROM passkeys WHERE user_id = $1', [userId]);

/** Lets the login of a session be so long ago that what is dangerous asks for a proof. */
const age = (userId: string) =>
  app.database.rows(
    "UPDATE sessions SET authenticated_at = authenticated_at - interval '11 minutes' WHERE user_id = $1",
    [userId],
  );

const owner = () => PasskeyOwner.in(app);

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
