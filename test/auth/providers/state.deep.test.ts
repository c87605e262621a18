import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { derivedKey } from '../../../src/secrets/derived-key.js';
import { freshAddress, loggedIn } from '../../support/accounts.js';
import type { Browser } from '../../support/browser.js';
import type { IdentityProvider, ProviderAccount } from '../../support/identity-provider.js';
import { callbackAs, failure, loginThrough, startWithProvider } from '../../support/identity-provider.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

const newAccount = (): ProviderAccount => ({
  sub: freshAddress(),
  email: freshAddress(),
  email_verified: true,
});
const sessions = () => app.database.value('SELECT count(*)::int FROM sessions');
const stateIn = (callback: string) => new URL(callback, 'http://x').searchParams.get('state') ?? '';

/** A callback with its state replaced by one that is signed with our key, as no attacker could. */
function withClaims(
  callback: string,
  changes: object,
  { key = keyFor('idp-login'), ...options }: jwt.SignOptions & { key?: Buffer } = {},
): string {
  const { aud, exp, iat, jti, ...claims } = jwt.decode(stateIn(callback)) as jwt.JwtPayload;
  const all = Object.entries({ aud, exp, iat, jti, ...claims, ...changes });
  const given = Object.fromEntries(all.filter(([, claim]) => claim !== undefined));
  const state = jwt.sign(given, key, options);
  return withState(callback, state);
}

function keyFor(purpose: string): Buffer {
  return Buffer.from(derivedKey(app.environment.jwtSecretKey[0], purpose));
}

function withState(callback: string, state: string): string {
  const url = new URL(callback, 'http://x');
  url.searchParams.set('state', state);
  return url.pathname + url.search;
}

describe('the state of a login', () => {
  const nowSeconds = () => Math.floor(Date.now() / 1000);

  it.each<[string, (callback: string) => string]>([
    ['tampered with', (callback) => withState(callback, `${stateIn(callback).slice(0, -2)}xx`)],
    ['missing', (callback) => withState(callback, '').replace(/state=(&|$)/, '')],
    ['empty', (callback) => withState(callback, '')],
    ['rubbish', (callback) => withState(callback, 'rubbish')],
    ['sent twice', (callback) => `${callback}&state=${stateIn(callback)}`],
    ['expired', (callback) => withClaims(callback, { iat: nowSeconds() - 601, exp: nowSeconds() - 1 })],
    [
      'older than ten minutes, whatever it says of its expiry',
      (callback) => withClaims(callback, { iat: nowSeconds() - 601, exp: nowSeconds() + 600 }),
    ],
    ['without an expiry', (callback) => withClaims(callback, { exp: undefined })],
    ['for another purpose', (callback) => withClaims(callback, { purpose: 'unsubscribe' })],
    ['for another provider', (callback) => withClaims(callback, { provider: 'staff' })],
    ['for another audience', (callback) => withClaims(callback, { aud: 'https://other.example' })],
    ['signed with another algorithm', (callback) => withClaims(callback, {}, { algorithm: 'HS512' })],
    [
      'signed with the secret itself',
      (callback) => withClaims(callback, {}, { key: Buffer.from(app.environment.jwtSecretKey[0]) }),
    ],
    [
      'signed with the key of another purpose',
      (callback) => withClaims(callback, {}, { key: keyFor('audit') }),
    ],
    ['for another challenge', (callback) => withClaims(callback, { challenge: 'A'.repeat(43) })],
    [
      'unsigned',
      (callback) => {
        const [, payload] = stateIn(callback).split('.');
        return withState(
          callback,
          `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`,
        );
      },
    ],
  ])('is refused when it is %s', async (_, spoil) => {
    const browser = app.browser();
    const callback = spoil(await callbackAs(provider, browser, newAccount()));
    const before = await sessions();

    expect(await browser.get(callback)).toMatchObject(failure('invalid_state'));
    expect(await sessions()).toBe(before);
    expect(browser.jar.has('session_id')).toBe(false);
  });

  it.each([
    ['as it was signed', {}],
    ['as the version before signs it, which knows one provider', { provider: undefined }],
  ])('is accepted %s', async (_, changes) => {
    const browser = app.browser();
    const callback = withClaims(await callbackAs(provider, browser, newAccount()), changes);

    expect((await browser.get(callback)).headers.location).toBe('http://localhost:5173/');
  });

  it.each(['access_denied', 'server_error'])(
    'is checked before an error of the provider: %s',
    async (error) => {
      const browser = app.browser();
      const own = stateIn(await callbackAs(provider, browser, newAccount()));
      const foreign = stateIn(await callbackAs(provider, app.browser(), newAccount()));
      const answer = (state: string) => browser.get(`/auth/oauth/idp/callback?error=${error}&state=${state}`);

      expect(await answer(foreign)).toMatchObject(failure('invalid_state'));
      expect(await answer('rubbish')).toMatchObject(failure('invalid_state'));
      expect(await answer(own)).toMatchObject(failure(error === 'access_denied' ? error : 'provider_error'));
      expect(await answer(own)).toMatchObject(failure('invalid_state'));
    },
  );

  it('is removed from the browser when the user cancels, and is refused afterwards', async () => {
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, 'cancel');
    const cookie = [...browser.jar].map((pair) => pair.join('=')).join('; ');

    const answer = await browser.get(callback);

    expect(answer).toMatchObject(failure('access_denied'));
    expect(answer.cookies).toEqual([expect.stringMatching(/^idp_login_[\w-]+=; Max-Age=0; Path=\/; /)]);
    expect(browser.jar.size).toBe(0);
    expect(await app.browser({ cookie }).get(callback)).toMatchObject(failure('invalid_state'));
  });

  it('is refused with two cookies of its name, one of which was planted', async () => {
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, newAccount());
    const [[name, verifier] = ['', '']] = browser.jar;

    const doubled = app.browser({ cookie: `${name}=${verifier}; ${name}=planted` });
    expect(await doubled.get(callback)).toMatchObject(failure('invalid_state'));
  });

  it('is refused in another browser', async () => {
    const callback = await callbackAs(provider, app.browser(), newAccount());
    const other = app.browser();
    await other.get('/auth/oauth/idp/authorize-url');

    expect(await other.get(callback)).toMatchObject(failure('invalid_state'));
    expect(other.jar.has('session_id')).toBe(false);
  });

  it('can be used once, also when 16 requests bring it at once', async () => {
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, newAccount());
    const cookie = [...browser.jar].map((pair) => pair.join('=')).join('; ');

    const answers = await Promise.all(
      Array.from({ length: 16 }, () => app.browser({ cookie }).get(callback)),
    );

    const started = answers.filter(({ headers }) => headers.location === 'http://localhost:5173/');
    expect(started).toHaveLength(1);
    for (const answer of answers) {
      if (answer !== started[0]) expect(answer).toMatchObject(failure('invalid_state'));
    }
    expect(await app.browser({ cookie }).get(callback)).toMatchObject(failure('invalid_state'));
  });

  it('is refused with a code that another login has used', async () => {
    const browser = app.browser();
    const used = await callbackAs(provider, browser, newAccount());
    await browser.get(used);
    browser.jar.delete('session_id');

    const callback = new URL(await callbackAs(provider, browser, newAccount()), 'http://x');
    callback.searchParams.set('code', new URL(used, 'http://x').searchParams.get('code') ?? '');

    expect(await browser.get(callback.pathname + callback.search)).toMatchObject(failure('provider_error'));
    expect(browser.jar.has('session_id')).toBe(false);
  });

  it('is not used up by a HEAD', async () => {
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, newAccount());

    expect((await browser.send('HEAD', callback)).status).toBe(405);
    expect((await browser.get(callback)).headers.location).toBe('http://localhost:5173/');
  });

  it('is refused when the answer names another issuer', async () => {
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, newAccount());
    expect(callback).toContain(`iss=${encodeURIComponent(provider.issuer)}`);

    const mixedUp = callback.replace(encodeURIComponent(provider.issuer), 'https%3A%2F%2Fevil.example');
    expect(await browser.get(mixedUp)).toMatchObject(failure('invalid_state'));
  });

  it('leaves no cookie behind, and is stored as used', async () => {
    const browser = app.browser();
    await loginThrough(provider, browser, newAccount());

    expect([...browser.jar.keys()]).toEqual(['session_id', 'session_id_device']);
    expect(await app.database.value('SELECT count(*)::int > 0 FROM used_states')).toBe(true);
  });
});

describe('the session that a browser had when it began a login through the provider', () => {
  /** Comes back as from another site: the Strict cookie of the session does not come along. */
  async function comeBack(browser: Browser, who: ProviderAccount | 'cancel') {
    const token = browser.jar.get('session_id') ?? '';
    const callback = await callbackAs(provider, browser, who);
    browser.jar.delete('session_id');
    return { earlier: app.browser({ cookie: `session_id=${token}` }), callback, token };
  }

  it('ends when the session of the login starts, although its cookie does not come along', async () => {
    const browser = await loggedIn(app);
    const { earlier, callback, token } = await comeBack(browser, newAccount());
    expect((await earlier.get('/users/me')).status).toBe(200);
    expect(JSON.stringify(jwt.decode(stateIn(callback)))).not.toContain(token);

    await browser.get(callback);

    expect((await earlier.get('/users/me')).status).toBe(401);
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('stays when the login fails', async () => {
    const browser = await loggedIn(app);
    for (const who of ['cancel' as const, { ...newAccount(), email_verified: false }]) {
      const { earlier, callback, token } = await comeBack(browser, who);
      expect((await browser.get(callback)).headers.location).toMatch(/login\?error=/);
      expect((await earlier.get('/users/me')).status).toBe(200);
      browser.jar.set('session_id', token);
    }
  });
});

describe('the state of a login outside dev', () => {
  it('is refused with a cookie that a neighbouring host can plant', async () => {
    const variables = { ...provider.variables, SVC_ENVIRONMENT: 'prod' };
    const prod = await TestApp.start(variables, { database: app.database });
    const attacker = prod.browser({});
    const callback = await callbackAs(provider, attacker, newAccount());

    const [[name, verifier] = ['', '']] = attacker.jar;
    for (const planted of [name.replace('__Host-', ''), `\u00a0${name}`]) {
      const victim = prod.browser({ cookie: `${planted}=${verifier}` });
      expect(await victim.get(callback)).toMatchObject(failure('invalid_state'));
    }
    expect((await attacker.get(callback)).headers.location).toBe('http://localhost:5173/');
    await prod.nest.close();
  });
});
