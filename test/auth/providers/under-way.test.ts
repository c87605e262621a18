import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, verified } from '../../support/accounts.js';
import type { IdentityProvider } from '../../support/identity-provider.js';
import { callbackAs, failure, loginThrough, startWithProvider } from '../../support/identity-provider.js';
import { Held } from '../../support/lock-step.js';
import type { TestApp } from '../../support/test-app.js';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

describe('a login through the provider that is under way while the account is secured', () => {
  it('ends up without an active session, although no password changed', async () => {
    const who = { sub: freshAddress(), email: freshAddress(), email_verified: true };
    for (const browser of [app.browser(), app.browser()]) await loginThrough(provider, browser, who);
    const { text } = await app.mailbox.last(who.email);
    const token = /secure-account\?token=(\S+)/.exec(text)?.[1];
    const intruder = app.browser();
    const callback = await callbackAs(provider, intruder, who);

    const held = await Held.by(app.database, 'LOCK TABLE sessions IN EXCLUSIVE MODE', []);
    const login = intruder.get(callback);
    await held.untilWaiting(1);
    const secured = app.browser().post('/auth/secure-account', { token });
    await held.untilWaiting(2);
    await held.release();

    expect((await login).status).toBe(302);
    expect((await secured).status).toBe(204);
    expect((await intruder.get('/users/me')).status).toBe(401);
  });
});

describe('a login through the provider that waits while its identity is unlinked', () => {
  it('does not open the account', async () => {
    const who = { sub: freshAddress(), email: await verified(app), email_verified: true };
    const owner = app.browser();
    await loginThrough(provider, owner, who);
    const [identity] = (await owner.get('/users/me/identities')).body.data;
    const intruder = app.browser();
    const callback = await callbackAs(provider, intruder, who);

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [who.email]);
    const unlinking = owner.delete(`/users/me/identities/${identity.id}`);
    await held.untilWaiting(1);
    const login = intruder.get(callback);
    await held.untilWaiting(2);
    await held.release();

    expect((await unlinking).status).toBe(204);
    expect(await login).toMatchObject(failure('account_conflict'));
    expect((await intruder.get('/users/me')).status).toBe(401);
  });
});

describe('a login through a removed identity that waits while the account is secured', () => {
  it('does not link itself to the account again', async () => {
    const who = { sub: freshAddress(), email: await verified(app), email_verified: true };
    await loginThrough(provider, app.browser(), who);
    const { text } = await app.mailbox.last(who.email);
    const token = /secure-account\?token=(\S+)/.exec(text)?.[1];
    const intruder = app.browser();
    const callback = await callbackAs(provider, intruder, who);

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [who.email]);
    const secured = app.browser().post('/auth/secure-account', { token });
    await held.untilWaiting(1);
    const login = intruder.get(callback);
    await held.untilWaiting(2);
    await held.release();

    expect((await secured).status).toBe(204);
    expect(await login).toMatchObject(failure('account_conflict'));
  });
});
