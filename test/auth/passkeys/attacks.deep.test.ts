import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintToken } from '../../../src/secrets/token.js';
import { freshAddress, loggedIn, loggedInAs, PASSWORD } from '../../support/accounts.js';
import { Authenticator, type Deviation } from '../../support/authenticator.js';
import type { Answer, Browser } from '../../support/browser.js';
import { MailapiStandIn } from '../../support/mailapi-stand-in.js';
import { PasskeyOwner } from '../../support/passkeys.js';
import { TestApp } from '../../support/test-app.js';

const FORMER = 'a secret that only the tests know and of 32 or more';
const LATER = 'another secret that only the tests know and of 32';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_LOG_LEVEL: 'trace' });
});
afterAll(() => app.close());

const optionsOf = async (answer: Promise<Answer>) => (await answer).body.options;
const codeOf = ({ status, body }: Answer) => body?.code ?? status;

async function login(authenticator: Authenticator, browser = app.browser()): Promise<Answer> {
  const options = await optionsOf(browser.post('/auth/passkey/options'));
  return browser.post('/auth/passkey/login', { credential: authenticator.get(options) });
}

async function register(browser: Browser, deviation: Deviation = {}): Promise<[Answer, Authenticator]> {
  const authenticator = new Authenticator();
  const options = await optionsOf(browser.post('/users/me/passkeys/options'));
  const credential = authenticator.create(options, deviation);
  return [await browser.post('/users/me/passkeys', { credential }), authenticator];
}

describe('a page of an attacker', () => {
  it('logs no browser in to the account of the attacker, nor asks for options in one', async () => {
    const { authenticator } = await PasskeyOwner.in(app);
    const victim = app.browser();
    const options = await optionsOf(victim.post('/auth/passkey/options'));
    const evil = { origin: 'https://evil.example' };

    const body = { credential: authenticator.get(options) };
    const answers = [
      await victim.post('/auth/passkey/options', undefined, evil),
      await victim.post('/auth/passkey/login', body, evil),
      await victim.post('/auth/passkey/login', JSON.stringify(body), { 'content-type': 'text/plain' }),
      await victim.get('/auth/passkey/login'),
      await victim.send('HEAD', '/auth/passkey/options'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 415, 404, 404]);
    expect(answers.flatMap(({ cookies }) => cookies)).toEqual([]);
  });
});

describe('the thief of a session that is recent, who does not know the password', () => {
  it('adds a passkey, but takes neither the password nor the address nor the account away', async () => {
    const thief = await loggedInAs(app, 'member');
    expect((await register(thief))[0].status).toBe(201);

    const answers = [
      await thief.send('DELETE', '/password', {}),
      await thief.send('DELETE', '/password', { current_password: 'not the password' }),
      await thief.post('/users/me/email', { new_email: freshAddress() }),
      await thief.post('/password/update', { new_password: 'a wholly different phrase' }),
      await thief.send('DELETE', '/users/me', {}),
    ];

    expect(answers.map(codeOf)).toEqual(Array(5).fill('IncorrectPassword'));
    expect((await thief.get('/users/me')).body.user.has_password).toBe(true);
  });
});

describe('the cookie of the challenge, in production', () => {
  let mailapi: MailapiStandIn;
  let prod: TestApp;
  beforeAll(async () => {
    mailapi = await MailapiStandIn.start();
    prod = await TestApp.start({
      SVC_ENVIRONMENT: 'prod',
      SVC_SESSION_COOKIE_NAME: '__Host-session',
      ...mailapi.variables,
    });
  });
  afterAll(async () => {
    await prod.close();
    await mailapi.close();
  });

  it('has the prefix of the session cookie, and goes to no other site', async () => {
    const { cookies } = await prod.browser().post('/auth/passkey/options');

    expect(cookies).toEqual([
      expect.stringMatching(
        /^__Host-session_challenge=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
  });

  it('is kept when there is one, and counts as none when a neighbouring host planted a second', async () => {
    const [own, planted] = [mintToken(), mintToken()];
    const name = '__Host-session_challenge';
    const cookieOf = async (cookie: string) => {
      const { cookies } = await prod
        .browser({ origin: 'http://localhost:5173', cookie })
        .post('/auth/passkey/options');
      return cookies[0]?.split(/[=;]/)[1];
    };

    expect(await cookieOf(`${name}=${own}`)).toBe(own);
    expect([own, planted]).not.toContain(await cookieOf(`${name}=${own}; ${name}=${planted}`));
    expect(await cookieOf(`session_challenge=${planted}`)).not.toBe(planted);
    expect(await cookieOf(`${name}=guessable`)).not.toBe('guessable');
  });
});

describe('a challenge', () => {
  it('made with a former secret is good while that is listed, at any replica, and worth nothing afterwards', async () => {
    const { authenticator } = await PasskeyOwner.in(app);
    const [rotated, later] = [
      await TestApp.start({ SVC_JWT_SECRET_KEY: `${LATER},${FORMER}` }, { database: app.database }),
      await TestApp.start({ SVC_JWT_SECRET_KEY: LATER }, { database: app.database }),
    ];
    const first = app.browser();
    const credential = authenticator.get(await optionsOf(first.post('/auth/passkey/options')));
    const at = (replica: TestApp) => {
      const browser = replica.browser();
      for (const [name, value] of first.jar) browser.jar.set(name, value);
      return browser.post('/auth/passkey/login', { credential });
    };

    const codes = [codeOf(await at(later)), codeOf(await at(rotated)), codeOf(await at(app))];
    await rotated.nest.close();
    await later.nest.close();

    expect(codes).toEqual(['InvalidPasskey', 200, 'InvalidPasskey']);
  });

  it('of a session goes on when the session gets a fresh token', async () => {
    const browser = await loggedInAs(app, 'member');
    const thief = app.browser();
    thief.jar.set('session_id', browser.jar.get('session_id') ?? '');
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    await browser.post('/auth/step-up', { password: PASSWORD });

    const add = (from: Browser) =>
      from.post('/users/me/passkeys', { credential: new Authenticator().create(options) });

    expect(codeOf(await add(thief))).toBe('SessionRenewed');
    expect(codeOf(await add(browser))).toBe(201);
  });
});

describe('the count of a key', () => {
  it('may begin at any time, and then neither falls to 0 nor starts over after the highest there is', async () => {
    const { authenticator, id } = await PasskeyOwner.in(app);
    const [key] = authenticator.keys as [Authenticator['keys'][number]];
    const counting = async (count: number) => {
      key.signCount = count;
      return codeOf(await login(authenticator));
    };

    const codes = [];
    for (const count of [0, 0, 5, 0, 5, 4_294_967_294, 4_294_967_295, 4_294_967_295, 0, 1])
      codes.push(await counting(count));

    const no = 'InvalidPasskey';
    expect(codes).toEqual([200, 200, 200, no, no, 200, 200, no, no, no]);
    expect(await app.database.value('SELECT sign_count FROM passkeys WHERE user_id = $1', [id])).toBe(
      '4294967295',
    );
  });
});

describe('a public key of absurd size', () => {
  const rsa = (modulusBytes: number, exponent: Buffer) =>
    new Map<number, unknown>([
      [1, 3],
      [3, -257],
      [-1, Buffer.alloc(modulusBytes, 0xff)],
      [-2, exponent],
    ]);

  it.each<[string, number, Map<number, unknown>]>([
    ['RSA of 15,200 bits', 201, rsa(1_900, Buffer.from([1, 0, 1]))],
    ['RSA of 3,072 bits with an exponent as long', 201, rsa(384, Buffer.alloc(384, 0xff))],
    ['RSA of 160,000 bits', 400, rsa(20_000, Buffer.alloc(8, 0xff))],
    ['RSA with an exponent of 160,000 bits', 400, rsa(384, Buffer.alloc(20_000, 0xff))],
  ])('%s, opens nothing and costs next to nothing', async (_, status, publicKey) => {
    const browser = await loggedInAs(app, 'member');
    const [registered, authenticator] = await register(browser, { publicKey });
    expect(registered.status).toBe(status);

    const beganAt = performance.now();
    expect((await login(authenticator)).status).toBe(400);

    expect(performance.now() - beganAt).toBeLessThan(5_000);
  });
});

describe('the log and the audit log', () => {
  it('name no credential, key or challenge', async () => {
    const browser = await loggedInAs(app, 'member');
    const [, authenticator] = await register(browser);
    const credentialId = authenticator.keys[0]?.id as Buffer;
    const options = await optionsOf(browser.post('/auth/passkey/options'));
    const { response } = authenticator.get(options) as { response: { signature: string } };
    await login(authenticator);
    await login(new Authenticator(), browser).catch(() => {});
    await browser.post('/auth/passkey/login', { credential: { ...authenticator.get(options), rawId: '' } });

    const publicKey: Buffer = await app.database.value('SELECT public_key FROM passkeys WHERE user_id = $1', [
      browser.id,
    ]);
    const secrets = [credentialId, publicKey].flatMap((bytes) =>
      (['base64url', 'base64', 'hex'] as const).map((encoding) => bytes.toString(encoding)),
    );
    const state = Buffer.from(options.challenge, 'base64url').toString();
    secrets.push(
      options.challenge,
      state,
      response.signature,
      browser.jar.get('session_id_challenge') ?? '?',
    );

    const events = await app.database.rows('SELECT * FROM audit_events');
    const told = app.log.join('') + JSON.stringify(events);
    expect(app.log.join('').length).toBeGreaterThan(1_000);
    for (const secret of secrets) expect(told).not.toContain(secret);
  });
});

describe('the mails about a passkey', () => {
  const HOSTILE = [
    'Call +1 555 0100, https://evil.example/login',
    '\u202ereversed\u2066 and hidden\u200b',
    '<a href="https://evil.example">click</a>',
  ];

  it.each(HOSTILE)('carry no link and no direction of the name %j', async (name) => {
    const browser = await loggedIn(app);
    const options = await optionsOf(browser.post('/users/me/passkeys/options'));
    const made = await browser.post('/users/me/passkeys', {
      credential: new Authenticator().create(options),
      name,
    });
    if (made.status !== 201) return expect(made.status).toBe(400);
    await browser.delete(`/users/me/passkeys/${made.body.passkey.id}`);

    const mails = (await app.mailbox.to(browser.email)).filter(({ subject }) => /passkey/i.test(subject));
    expect(mails).toHaveLength(2);
    for (const { text } of mails)
      expect(text).not.toMatch(/evil\.example\/login|:\/\/evil|[\u202a-\u202e\u2066-\u2069]/);
  });
});
