import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { derivedKey } from '../../../src/secrets/derived-key.js';
import { freshAddress } from '../../support/accounts.js';
import type { IdentityProvider, ProviderAccount } from '../../support/identity-provider.js';
import { callbackAs, loginThrough, startWithProvider } from '../../support/identity-provider.js';
import { TestApp } from '../../support/test-app.js';

const PAGES = 'http://localhost:3000/ui';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider({ SVC_LIMIT_CALLBACK_PER_NETWORK: '1000/1h' }));
});
afterAll(() => stop());

const newAccount = (): ProviderAccount => ({
  sub: freshAddress(),
  email: freshAddress(),
  email_verified: true,
});
const via = (path: string) => `?via=ui&return_to=${encodeURIComponent(path)}`;
const locationOf = ({ headers }: { headers: Record<string, unknown> }) => String(headers.location);

/** A callback whose state says something else, signed with our key. */
function withClaims(callback: string, changes: object): string {
  const url = new URL(callback, 'http://x');
  const claims = jwt.decode(url.searchParams.get('state') ?? '') as jwt.JwtPayload;
  const key = Buffer.from(derivedKey(app.environment.jwtSecretKey[0], 'idp-login'));
  url.searchParams.set('state', jwt.sign({ ...claims, ...changes }, key));
  return url.pathname + url.search;
}

describe('a login through the provider that began on a page of the service', () => {
  it.each([
    ['/login?return_to=%2Fadmin', '/login?return_to=%2Fadmin'],
    ['/account', '/account'],
    ['/login?ui_locales=de', '/login?ui_locales=de'],
    ['/', '/login'],
  ])('comes back from %s to %s', async (returnTo, page) => {
    const browser = app.browser();
    const landed = await loginThrough(provider, browser, newAccount(), via(returnTo));

    expect(landed.status).toBe(302);
    expect(locationOf(landed)).toBe(PAGES + page);
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('comes back to the second step of the pages, where the account takes one', async () => {
    const who = newAccount();
    await loginThrough(provider, app.browser(), who, via('/login'));
    await app.database.rows(
      `INSERT INTO totp_factors (user_id, secret, confirmed_at) SELECT id, '', now() FROM users WHERE email = $1`,
      [who.email],
    );

    const landed = await loginThrough(provider, app.browser(), who, via('/login?return_to=/admin'));

    expect(locationOf(landed)).toBe(
      `${PAGES}/second-step?return_to=${encodeURIComponent('/ui/login?return_to=/admin')}`,
    );
    const inGerman = await loginThrough(provider, app.browser(), who, via('/login?ui_locales=de'));
    expect(locationOf(inGerman)).toBe(
      `${PAGES}/second-step?return_to=${encodeURIComponent('/ui/login?ui_locales=de')}&ui_locales=de`,
    );
  });

  it('comes back with the reason to the page on which it began, when it fails', async () => {
    const landed = await loginThrough(provider, app.browser(), 'cancel', via('/login?return_to=%2Fadmin'));
    const linked = await loginThrough(provider, app.browser(), 'cancel', via('/account'));

    expect(locationOf(landed)).toBe(`${PAGES}/login?return_to=%2Fadmin&error=access_denied`);
    expect(locationOf(linked)).toBe(`${PAGES}/account?error=access_denied`);
  });

  it.each([
    ['has expired', (callback: string) => withClaims(callback, { iat: 1, exp: 2 })],
    ['is brought by another browser', (callback: string) => callback],
  ])('comes back to the pages even when its state %s', async (_, spoil) => {
    const callback = spoil(await callbackAs(provider, app.browser(), newAccount(), via('/login')));

    expect(locationOf(await app.browser().get(callback))).toBe(`${PAGES}/login?error=invalid_state`);
  });

  it('keeps that in the state, which only the service can sign', async () => {
    const url = new URL(await callbackAs(provider, app.browser(), newAccount()), 'http://x');
    const claims = jwt.decode(url.searchParams.get('state') ?? '') as jwt.JwtPayload;
    url.searchParams.set('state', jwt.sign({ ...claims, via: 'ui' }, 'a key of a stranger, of 32 or more'));

    const landed = await app.browser().get(url.pathname + url.search);

    expect(claims.via).toBeNull();
    expect(locationOf(landed)).toBe('http://localhost:5173/login?error=invalid_state');
  });

  it('leads to the application where there are no pages', async () => {
    const settings = { ...provider.variables, SVC_PAGES: 'off' };
    const other = await TestApp.start(settings, { database: app.database });
    const landed = await loginThrough(provider, other.browser(), newAccount(), via('/login'));
    await other.nest.close();

    expect(locationOf(landed)).toBe('http://localhost:5173/login');
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/../dev/mail',
    '/a/../../dev/mail',
    '/%2e%2e/dev/mail',
    '/.%2E/dev/mail',
    '/login/..',
    '/\t/evil.example',
    '/\u0000',
    'https://evil.example',
    '@evil.example',
    '.evil.example',
    ':80',
    'javascript:alert(1)',
    `/${'a'.repeat(1024)}`,
  ])('may not return to %j', async (path) => {
    const answer = await app.browser().get(`/auth/oauth/idp/authorize-url?via=ui&return_to=${escaped(path)}`);

    expect(answer).toMatchObject({ status: 400, body: { code: 'ValidationFailed' } });
    expect(answer.cookies).toEqual([]);
  });

  it.each(['SPA', '', 'ui&via=ui', 'UI'])('may not begin via "%s"', async (value) => {
    const answer = await app.browser().get(`/auth/oauth/idp/authorize-url?via=${value}`);

    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'via' }] } });
  });

  it('stays within the service, whatever else a path may hold', async () => {
    for (const path of [
      '/login?return_to=//evil.example',
      '/login#//evil.example',
      '/@evil.example',
      '/..a',
      '/a//b',
    ]) {
      const landed = await loginThrough(provider, app.browser(), newAccount(), via(path));
      expect([path, locationOf(landed).startsWith(`${PAGES}/`)]).toEqual([path, true]);
    }
  });
});

/** Also for half of a surrogate pair, which has no encoding. */
function escaped(path: string): string {
  return path.isWellFormed() ? encodeURIComponent(path) : '%ED%A0%80';
}
