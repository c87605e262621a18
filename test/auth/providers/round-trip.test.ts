import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import type { IdentityProvider } from '../../support/identity-provider.js';
import { failure, loginThrough, startWithProvider } from '../../support/identity-provider.js';
import type { TestApp } from '../../support/test-app.js';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

describe('login through the identity provider', () => {
  it('goes to the provider and back, and starts a session', async () => {
    const email = freshAddress();
    const browser = app.browser();

    const begun = await browser.get('/auth/oauth/idp/authorize-url?return_to=/welcome?tab=1');
    const callback = await provider.authorize(begun.body.authorization_url, {
      sub: 'ada',
      email,
      email_verified: true,
      name: 'Ada',
    });
    const landed = await browser.get(callback);

    expect(landed).toMatchObject({
      status: 302,
      headers: { location: 'http://localhost:5173/welcome?tab=1' },
    });
    expect((await browser.get('/users/me')).body).toMatchObject({
      user: { email, name: 'Ada', role: 'member', email_verified: true, has_password: false, org_id: null },
      session: { auth_method: 'idp' },
    });
  });

  it('mails the owner about a browser that was not used before, and knows it from then on', async () => {
    const who = { sub: 'grace', email: freshAddress(), email_verified: true };
    await loginThrough(provider, app.browser(), who);
    const browser = app.browser();

    await loginThrough(provider, browser, who);
    await loginThrough(provider, browser, who);

    const subjects = (await app.mailbox.to(who.email)).map(({ subject }) => subject);
    expect(subjects).toEqual(['A new login to your account']);
  });

  it('has the provider ask again where a session asks for it, so that its own session is no proof', async () => {
    const who = { sub: 'hedy', email: freshAddress(), email_verified: true };
    const browser = app.browser();
    const maxAge = async () => {
      const { body } = await browser.get('/auth/oauth/idp/authorize-url');
      return new URL(body.authorization_url).searchParams.get('max_age');
    };
    expect(await maxAge()).toBeNull();
    await loginThrough(provider, browser, who);
    expect(await maxAge()).toBe('0');

    const { session } = (await browser.get('/users/me')).body;
    expect((await loginThrough(provider, browser, who)).headers.location).toBe('http://localhost:5173/');
    expect((await browser.get('/users/me')).body.session.id).not.toBe(session.id);
  });

  it('is refused where the provider was to ask again, and says that it did not', async () => {
    const who = { sub: 'joan', email: freshAddress(), email_verified: true };
    const browser = app.browser();
    provider.loggedInAt = Math.floor(Date.now() / 1000) - 3600;
    expect((await loginThrough(provider, browser, who)).headers.location).toBe('http://localhost:5173/');
    const { session } = (await browser.get('/users/me')).body;

    expect(await loginThrough(provider, browser, who)).toMatchObject(failure('provider_error'));
    expect((await browser.get('/users/me')).body.session.id).toBe(session.id);
    provider.loggedInAt = undefined;
  });
});
