import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn } from '../../support/accounts.js';
import { ageProof } from '../../support/authenticator-app.js';
import type { Browser } from '../../support/browser.js';
import {
  callbackOf,
  failure,
  IdentityProvider,
  loginThrough,
  type ProviderAccount,
} from '../../support/identity-provider.js';
import { TestApp } from '../../support/test-app.js';

const HOUR_SECONDS = 3600;
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Says in each ID token when its user logged in. */
let provider: IdentityProvider;
/** Is not trusted to say so. */
let other: IdentityProvider;
let app: TestApp;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  other = await IdentityProvider.start(callbackOf('other'));
  app = await TestApp.start({
    ...provider.variables,
    SVC_IDP_SAYS_AUTH_TIME: 'true',
    SVC_IDP_OTHERS: JSON.stringify([
      other.entry,
      { preset: 'github', client_id: 'a client', client_secret: 'its secret' },
    ]),
  });
});
afterAll(async () => {
  await app.close();
  await Promise.all([provider.stop(), other.stop()]);
});
afterEach(() => {
  for (const each of [provider, other]) Object.assign(each, { claims: {}, loggedInAt: undefined });
});

const person = (): ProviderAccount => ({ sub: freshAddress(), email: freshAddress(), email_verified: true });

const setPassword = async (browser: Browser) =>
  (await browser.post('/password/update', { new_password: 'staple battery horse correct' })).status;

const ageOfProof = async (browser: Browser): Promise<number> => {
  const { session } = (await browser.get('/users/me')).body;
  return (Date.now() - Date.parse(session.authenticated_at)) / 1000;
};

const questionsOf = ({ asked }: IdentityProvider) =>
  asked.filter((path) => path.startsWith('/interaction/')).length;

/** A browser that has logged in at a provider, and whose proof is eleven minutes old by now. */
async function stale(at = provider) {
  const [browser, who, cookies] = [app.browser(), person(), new Map<string, string>()];
  await loginThrough(at, browser, who, '', cookies);
  await ageProof(app, browser);
  expect(await setPassword(browser)).toBe(403);
  return { browser, who, cookies };
}

/** What an ID token may say instead of the time at which its user logged in just now. */
const NOT_SAID: [string, () => Record<string, unknown>][] = [
  ['says nothing', () => ({ auth_time: undefined })],
  ['says null', () => ({ auth_time: null })],
  ['says a text', () => ({ auth_time: String(nowSeconds()) })],
  ['says a part of a second', () => ({ auth_time: nowSeconds() + 0.5 })],
  ['says a list', () => ({ auth_time: [nowSeconds()] })],
  ['names a time after all others', () => ({ auth_time: Number.MAX_SAFE_INTEGER })],
  ['names a time that is yet to come', () => ({ auth_time: nowSeconds() + HOUR_SECONDS })],
  ['speaks of another issuer', () => ({ iss: 'https://other.example' })],
  ['speaks to another client', () => ({ aud: 'another client' })],
  ['speaks of another user', () => ({ sub: 'another user' })],
];

describe('a login that begins in a session', () => {
  const promptsOf = async (name: string, service = app) => {
    const browser = await loggedIn(service);
    const { body } = await browser.get(`/auth/oauth/${name}/authorize-url`);
    const { prompt = null, max_age = null } = Object.fromEntries(
      new URL(body.authorization_url).searchParams,
    );
    return { prompt, max_age };
  };

  it('has the provider ask its user again, in the way that the provider takes', async () => {
    const google = await TestApp.start(
      { SVC_IDP_CLIENT_ID: 'a client', SVC_IDP_CLIENT_SECRET: 'its secret' },
      { database: app.database },
    );
    const plain = await TestApp.start(
      { ...provider.variables, SVC_IDP_SCOPE: 'profile' },
      { database: app.database },
    );

    expect(await promptsOf('idp')).toEqual({ prompt: 'login', max_age: '0' });
    expect(await promptsOf('other')).toEqual({ prompt: 'login', max_age: '0' });
    expect(await promptsOf('github')).toEqual({ prompt: 'select_account', max_age: '0' });
    expect(await promptsOf('idp', google)).toEqual({ prompt: 'select_account', max_age: '0' });
    expect(await promptsOf('idp', plain)).toEqual({ prompt: null, max_age: '0' });
    await Promise.all([google.nest.close(), plain.nest.close()]);
  });

  it('names no prompt without one', async () => {
    const { body } = await app.browser().get('/auth/oauth/idp/authorize-url');

    expect(new URL(body.authorization_url).searchParams.has('prompt')).toBe(false);
  });

  it.each(['prompt', 'max_age'])(
    'is asked for also where a person takes %s out of the address',
    async (name) => {
      const { browser, who, cookies } = await stale();
      const { body } = await browser.get('/auth/oauth/idp/authorize-url');
      const url = new URL(body.authorization_url);
      url.searchParams.delete(name);
      const before = questionsOf(provider);

      await provider.authorize(url.href, who, cookies);

      expect(questionsOf(provider)).toBeGreaterThan(before);
    },
  );
});

describe('a step-up at a provider that says when its user logged in', () => {
  it('is a proof of the moment that the provider names', async () => {
    const { browser, who, cookies } = await stale();
    provider.claims = { auth_time: nowSeconds() - 120 };

    await loginThrough(provider, browser, who, '', cookies);

    expect(await ageOfProof(browser)).toBeGreaterThanOrEqual(120);
    expect(await setPassword(browser)).toBe(204);
  });

  it('is none by a login from before it', async () => {
    const { browser, who, cookies } = await stale();
    provider.claims = { auth_time: nowSeconds() - HOUR_SECONDS };

    expect(await loginThrough(provider, browser, who, '', cookies)).toMatchObject(failure('provider_error'));
    expect(await setPassword(browser)).toBe(403);
  });

  it.each(NOT_SAID)('is none where its ID token %s', async (_, claims) => {
    const { browser, who, cookies } = await stale();
    provider.claims = claims();

    expect(await loginThrough(provider, browser, who, '', cookies)).toMatchObject(failure('provider_error'));
    expect(await setPassword(browser)).toBe(403);
  });

  it('is none for a person at the browser who has the provider ask nothing', async () => {
    const { browser, who, cookies } = await stale();
    const { body } = await browser.get('/auth/oauth/idp/authorize-url');
    const url = new URL(body.authorization_url);
    for (const name of ['prompt', 'max_age']) url.searchParams.delete(name);
    const before = questionsOf(provider);

    const back = await provider.authorize(url.href, who, cookies);

    expect(questionsOf(provider)).toBe(before);
    expect(await browser.get(back)).toMatchObject(failure('provider_error'));
    expect(await setPassword(browser)).toBe(403);
  });

  it('is none as the link of another login', async () => {
    const browser = await loggedIn(app);
    provider.claims = { auth_time: undefined };
    const { body } = await browser.post('/users/me/identities/idp/authorize-url', {});
    const back = await provider.authorize(body.authorization_url, person());

    expect((await browser.get(back)).headers.location).toBe('http://localhost:5173/?error=provider_error');
    expect((await browser.get('/users/me/identities')).body.data).toEqual([]);
  });
});

describe('a first login at a provider that says when its user logged in', () => {
  it('is a proof as old as the login there', async () => {
    const browser = app.browser();
    provider.claims = { auth_time: nowSeconds() - HOUR_SECONDS };
    await loginThrough(provider, browser, person());

    expect(await ageOfProof(browser)).toBeGreaterThanOrEqual(HOUR_SECONDS);
    expect(await setPassword(browser)).toBe(403);
  });

  it.each(NOT_SAID)('is refused where its ID token %s', async (_, claims) => {
    const [browser, who] = [app.browser(), person()];
    provider.claims = claims();

    expect(await loginThrough(provider, browser, who)).toMatchObject(failure('provider_error'));
    expect((await browser.get('/users/me')).status).toBe(401);
    expect(await app.database.rows('SELECT 1 FROM users WHERE email = $1', [who.email])).toEqual([]);
  });

  it('is refused for a person at the browser who has the provider answer by itself, and say nothing', async () => {
    const [who, cookies] = [person(), new Map<string, string>()];
    await loginThrough(provider, app.browser(), who, '', cookies);
    const browser = app.browser();
    const { body } = await browser.get('/auth/oauth/idp/authorize-url');
    const url = new URL(body.authorization_url);
    url.searchParams.delete('claims');

    const back = await provider.authorize(url.href, who, cookies);

    expect(await browser.get(back)).toMatchObject(failure('provider_error'));
  });

  it('goes on where its clock is a little ahead, as a proof of now', async () => {
    const browser = app.browser();
    provider.claims = { auth_time: nowSeconds() + 60 };
    await loginThrough(provider, browser, person());

    expect(await ageOfProof(browser)).toBeGreaterThanOrEqual(0);
    expect(await setPassword(browser)).toBe(204);
  });
});

describe('a provider that is not trusted to say when its user logged in', () => {
  it('is asked to ask again, and its answer counts as of the callback', async () => {
    const { browser, who, cookies } = await stale(other);
    other.claims = { auth_time: undefined };
    const before = questionsOf(other);

    await loginThrough(other, browser, who, '', cookies);

    expect(questionsOf(other)).toBeGreaterThan(before);
    expect(await setPassword(browser)).toBe(204);
  });

  it('makes no proof newer by the time it names', async () => {
    const { browser, who, cookies } = await stale(other);
    other.claims = { auth_time: nowSeconds() + HOUR_SECONDS };
    await loginThrough(other, browser, who, '', cookies);
    expect(await ageOfProof(browser)).toBeGreaterThanOrEqual(0);
    await ageProof(app, browser);

    expect(await setPassword(browser)).toBe(403);
  });

  it('is believed where it says that it did not ask', async () => {
    const { browser, who, cookies } = await stale(other);
    other.claims = { auth_time: nowSeconds() - HOUR_SECONDS };

    expect(await loginThrough(other, browser, who, '', cookies)).toMatchObject(failure('provider_error'));
    expect(await setPassword(browser)).toBe(403);
  });
});
