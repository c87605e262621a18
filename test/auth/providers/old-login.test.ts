import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../../src/http/role.js';
import { freshAddress, giveRole, loggedIn } from '../../support/accounts.js';
import { ageProof, appOwner, forgetSteps, SECOND_FACTOR } from '../../support/authenticator-app.js';
import type { Browser } from '../../support/browser.js';
import type { IdentityProvider } from '../../support/identity-provider.js';
import { callbackAs, failure, loginThrough, startWithProvider } from '../../support/identity-provider.js';
import { foundOrg, place } from '../../support/orgs.js';
import type { TestApp } from '../../support/test-app.js';

const HOUR_SECONDS = 3600;

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider({ SVC_SECOND_STEP_FROM: 'sys_admin' }));
});
afterAll(() => stop());
afterEach(() => {
  provider.loggedInAt = undefined;
  provider.claims = {};
});

const inSeconds = (ms: number) => Math.floor(ms / 1000);
const anyone = () => ({ sub: freshAddress(), email: freshAddress(), email_verified: true });

/** The cookies of a browser that logged in at the provider an hour ago, for an account here too. */
async function loggedInThereLongAgo(who = anyone()): Promise<Map<string, string>> {
  const cookies = new Map<string, string>();
  provider.loggedInAt = inSeconds(Date.now()) - HOUR_SECONDS;
  await loginThrough(provider, app.browser(), who, '', cookies);
  provider.loggedInAt = undefined;
  return cookies;
}

/** An act that needs a recent proof. */
const setPassword = (browser: Browser) =>
  browser.post('/password/update', { new_password: 'staple battery horse correct' });

const stepUpRequired = { status: 403, body: { code: 'StepUpRequired', methods: [] } };

/** How many seconds ago the user of a session proved who they are. */
async function ageOfProof(browser: Browser): Promise<number> {
  const { session } = (await browser.get('/users/me')).body;
  return (Date.now() - Date.parse(session.authenticated_at)) / 1000;
}

const questions = () => provider.asked.filter((path) => path.startsWith('/interaction/')).length;

describe('a login that the provider answers from a session of its own', () => {
  it('is a proof as old as the login there, so that what is dangerous asks for a newer one', async () => {
    const who = anyone();
    const cookies = await loggedInThereLongAgo(who);
    const [browser, asked] = [app.browser(), questions()];

    expect((await loginThrough(provider, browser, who, '', cookies)).headers.location).toBe(
      'http://localhost:5173/',
    );

    expect(questions()).toBe(asked);
    expect(await ageOfProof(browser)).toBeGreaterThanOrEqual(HOUR_SECONDS);
    expect(await setPassword(browser)).toMatchObject(stepUpRequired);
  });

  it('ends no pause since then, which an organization may refuse', async () => {
    const who = anyone();
    const cookies = await loggedInThereLongAgo(who);
    const { id } = await foundOrg(app);
    const rule = 'UPDATE organizations SET policy_idle_minutes = $2 WHERE id = $1';
    await place(app.database, who.email, id, Role.MEMBER);
    const enter = async () => {
      const browser = app.browser();
      await loginThrough(provider, browser, who, '', cookies);
      return browser.get(`/orgs/${id}`);
    };

    await app.database.rows(rule, [id, 65]);
    expect((await enter()).status).toBe(200);
    await app.database.rows(rule, [id, 30]);
    expect((await enter()).body).toMatchObject({ code: 'OrgPolicyUnmet', unmet: ['idle_minutes'] });
  });

  it('is followed by a recent proof once the user logs in again from the session', async () => {
    const who = anyone();
    const cookies = await loggedInThereLongAgo(who);
    const browser = app.browser();
    await loginThrough(provider, browser, who, '', cookies);
    const asked = questions();

    await loginThrough(provider, browser, who, '', cookies);

    expect(questions()).toBeGreaterThan(asked);
    expect(await ageOfProof(browser)).toBeLessThan(60);
    expect((await setPassword(browser)).status).toBe(204);
  });

  it('leaves the second step a proof of its own time', async () => {
    const owner = await appOwner(app);
    const who = { sub: owner.id, email: owner.email, email_verified: true };
    const cookies = await loggedInThereLongAgo(who);
    const browser = app.browser();
    await loginThrough(provider, browser, who, '', cookies);

    await forgetSteps(app, owner.id);
    expect((await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);

    expect(await ageOfProof(browser)).toBeLessThan(60);
  });

  it('gains nothing by a second use of its callback', async () => {
    const who = anyone();
    const cookies = await loggedInThereLongAgo(who);
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, who, '', cookies);
    await browser.get(callback);

    expect(await browser.get(callback)).toMatchObject(failure('invalid_state'));
    expect(await ageOfProof(browser)).toBeGreaterThanOrEqual(HOUR_SECONDS);
  });
});

describe('a login that the provider answers by itself, for a user who must set up a first factor', () => {
  const SECOND_STEP = 'http://localhost:5173/second-step?return_to=%2Fhome';

  /** A user whose role asks for a factor since they logged in, and the cookies of the provider. */
  async function newAdmin() {
    const who = anyone();
    const cookies = await loggedInThereLongAgo(who);
    await giveRole(app.database, who.email, 'sys_admin');
    return { who, cookies };
  }

  it('leads back to the provider, which asks its user again, before the set-up', async () => {
    const { who, cookies } = await newAdmin();
    const [browser, asked] = [app.browser(), questions()];

    const { status, headers } = await loginThrough(provider, browser, who, '?return_to=/home', cookies);

    expect(status).toBe(302);
    expect(headers.location).toContain(`${provider.issuer}/auth?`);
    expect(new URL(headers.location as string).searchParams.get('max_age')).toBe('0');
    expect((await browser.post('/auth/pending-login/totp')).status).toBe(401);
    expect(questions()).toBe(asked);

    const back = await provider.authorize(headers.location as string, who, cookies);
    expect((await browser.get(back)).headers.location).toBe(SECOND_STEP);
    expect(questions()).toBeGreaterThan(asked);
    expect((await browser.post('/auth/pending-login/totp')).status).toBe(200);
  });

  it('is refused where the provider does not ask, and sends the browser there once only', async () => {
    const { who, cookies } = await newAdmin();
    const browser = app.browser();
    const { headers } = await loginThrough(provider, browser, who, '', cookies);
    const again = new URL(headers.location as string);
    again.searchParams.delete('max_age');
    provider.claims = { auth_time: inSeconds(Date.now()) - HOUR_SECONDS };

    const back = await provider.authorize(again.href, who, cookies);

    expect(await browser.get(back)).toMatchObject(failure('provider_error'));
    expect((await browser.post('/auth/pending-login/totp')).status).toBe(401);
  });

  it('leads to the set-up at once where they logged in there within ten minutes', async () => {
    const { who, cookies } = await newAdmin();
    provider.claims = { auth_time: inSeconds(Date.now()) - 300 };

    const { headers } = await loginThrough(provider, app.browser(), who, '?return_to=/home', cookies);

    expect(headers.location).toBe(SECOND_STEP);
  });
});

describe('a login at which the provider asks its user', () => {
  it('is a recent proof', async () => {
    const browser = app.browser();
    await loginThrough(provider, browser, anyone());

    expect(await ageOfProof(browser)).toBeLessThan(60);
    expect((await setPassword(browser)).status).toBe(204);
  });

  it('is a proof of its own time at most, whatever later time the provider names', async () => {
    const browser = app.browser();
    provider.claims = { auth_time: inSeconds(Date.now()) + HOUR_SECONDS };
    await loginThrough(provider, browser, anyone());

    expect(await ageOfProof(browser)).toBeGreaterThanOrEqual(0);
    await ageProof(app, browser);
    expect(await setPassword(browser)).toMatchObject(stepUpRequired);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no time', { auth_time: undefined }],
    ['a time that is no number', { auth_time: 'an hour ago' }],
    ['a text', { auth_time: '1795204800' }],
    ['a part of a second', { auth_time: 1795204800.5 }],
    ['a time before all others', { auth_time: Number.MIN_SAFE_INTEGER }],
    ['a time after all others', { auth_time: Number.MAX_SAFE_INTEGER }],
    ['a time of another issuer', { auth_time: 0, iss: 'https://other.example' }],
    ['a time for another client', { auth_time: 0, aud: 'another client' }],
    ['a time of another user', { auth_time: 0, sub: 'another user' }],
  ])('counts as now where the ID token has %s', async (_, claims) => {
    const browser = app.browser();
    provider.claims = claims;
    await loginThrough(provider, browser, anyone());

    expect(await ageOfProof(browser)).toBeGreaterThanOrEqual(0);
    expect(await ageOfProof(browser)).toBeLessThan(60);
  });
});

describe('GET /auth/oauth/idp/authorize-url', () => {
  it('has the provider say when its user logged in there, unless a session asks for a new login', async () => {
    const paramsOf = async (browser: Browser) => {
      const { body } = await browser.get('/auth/oauth/idp/authorize-url');
      const { claims = null, max_age = null } = Object.fromEntries(
        new URL(body.authorization_url).searchParams,
      );
      return { claims, max_age };
    };

    expect(await paramsOf(app.browser())).toEqual({
      claims: '{"id_token":{"auth_time":{"essential":true}}}',
      max_age: null,
    });
    expect(await paramsOf(await loggedIn(app))).toEqual({ claims: null, max_age: '0' });
  });
});
