import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../../support/accounts.js';
import type { IdentityProvider } from '../../support/identity-provider.js';
import { loginThrough, startWithProvider } from '../../support/identity-provider.js';
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
});
