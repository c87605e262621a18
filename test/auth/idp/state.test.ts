import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { freshAddress } from '../../support/accounts.js';
import type { IdentityProvider, ProviderAccount } from '../../support/identity-provider.js';
import { callbackAs, failure, loginThrough, startWithProvider } from '../../support/idp-login.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

const somebody = (): ProviderAccount => ({
  sub: freshAddress(),
  email: freshAddress(),
  email_verified: true,
});
const sessions = () => app.database.value('SELECT count(*)::int FROM sessions');
const stateIn = (callback: string) => new URL(callback, 'http://x').searchParams.get('state') ?? '';

/** A callback with its state replaced by one that is signed with our secret, as no attacker could. */
function withClaims(callback: string, changes: object, options: jwt.SignOptions = {}): string {
  const { aud, exp, iat, jti, ...claims } = jwt.decode(stateIn(callback)) as jwt.JwtPayload;
  const all = Object.entries({ aud, exp, iat, jti, ...claims, ...changes });
  const given = Object.fromEntries(all.filter(([, claim]) => claim !== undefined));
  const state = jwt.sign(given, app.environment.jwtSecretKey[0], options);
  return withState(callback, state);
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
    ['for another audience', (callback) => withClaims(callback, { aud: 'https://other.example' })],
    ['signed with another algorithm', (callback) => withClaims(callback, {}, { algorithm: 'HS512' })],
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
    const callback = spoil(await callbackAs(provider, browser, somebody()));
    const before = await sessions();

    expect(await browser.get(callback)).toMatchObject(failure('invalid_state'));
    expect(await sessions()).toBe(before);
    expect(browser.jar.has('session_id')).toBe(false);
  });

  it('is refused in another browser', async () => {
    const callback = await callbackAs(provider, app.browser(), somebody());
    const other = app.browser();
    await other.get('/auth/oauth/idp/authorize-url');

    expect(await other.get(callback)).toMatchObject(failure('invalid_state'));
    expect(other.jar.has('session_id')).toBe(false);
  });

  it('is good for one use, also when 16 come at once', async () => {
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, somebody());
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

  it('does not lend itself to a code that another login has used', async () => {
    const browser = app.browser();
    const used = await callbackAs(provider, browser, somebody());
    await browser.get(used);
    browser.jar.delete('session_id');

    const callback = new URL(await callbackAs(provider, browser, somebody()), 'http://x');
    callback.searchParams.set('code', new URL(used, 'http://x').searchParams.get('code') ?? '');

    expect(await browser.get(callback.pathname + callback.search)).toMatchObject(failure('provider_error'));
    expect(browser.jar.has('session_id')).toBe(false);
  });

  it('is not used up by a HEAD', async () => {
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, somebody());

    expect((await browser.send('HEAD', callback)).status).toBe(405);
    expect((await browser.get(callback)).headers.location).toBe('http://localhost:5173/');
  });

  it('is refused when the answer names another issuer', async () => {
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, somebody());
    expect(callback).toContain(`iss=${encodeURIComponent(provider.issuer)}`);

    const mixedUp = callback.replace(encodeURIComponent(provider.issuer), 'https%3A%2F%2Fevil.example');
    expect(await browser.get(mixedUp)).toMatchObject(failure('invalid_state'));
  });

  it('lets 50 logins run at once, three of them in one browser', async () => {
    const shared = app.browser();
    const browsers = Array.from({ length: 50 }, (_, index) => (index < 3 ? shared : app.browser()));

    const answers = await Promise.all(browsers.map((browser) => loginThrough(provider, browser, somebody())));

    for (const answer of answers) expect(answer.headers.location).toBe('http://localhost:5173/');
  });

  it('leaves no state behind that is of use, and is pruned once it has expired', async () => {
    const browser = app.browser();
    await loginThrough(provider, browser, somebody());

    expect([...browser.jar.keys()]).toEqual(['session_id', 'session_id_device']);
    expect(await app.database.value('SELECT count(*)::int > 0 FROM used_states')).toBe(true);
  });
});

// Last, because Passport knows one strategy of a name in a process: that of the service made last.
describe('the state of a login outside dev', () => {
  it('is refused with a cookie that a neighbouring host can plant', async () => {
    const variables = { ...provider.variables, SVC_ENVIRONMENT: 'prod' };
    const prod = await TestApp.start(variables, { database: app.database });
    const attacker = prod.browser({});
    const callback = await callbackAs(provider, attacker, somebody());

    const [[name, verifier] = ['', '']] = attacker.jar;
    const victim = prod.browser({ cookie: `${name.replace('__Host-', '')}=${verifier}` });

    expect(await victim.get(callback)).toMatchObject(failure('invalid_state'));
    expect((await attacker.get(callback)).headers.location).toBe('http://localhost:5173/');
    await prod.nest.close();
  });
});
