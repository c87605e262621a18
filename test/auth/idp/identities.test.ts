import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { freshAddress, loggedIn, verified } from '../../support/accounts.js';
import type { Browser } from '../../support/browser.js';
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

/** A browser logged in through the provider. */
async function viaProvider(email = freshAddress()): Promise<Browser & { email: string; sub: string }> {
  const browser = app.browser();
  const sub = freshAddress();
  await loginThrough(provider, browser, { sub, email, email_verified: true });
  return Object.assign(browser, { email, sub });
}

const identityOf = async (browser: Browser) => (await browser.get('/users/me/identities')).body.data[0];

describe('GET /users/me/identities', () => {
  it("lists the caller's identities", async () => {
    const browser = await viaProvider();

    expect(await browser.get('/users/me/identities')).toMatchObject({
      status: 200,
      body: { data: [{ provider: provider.issuer, email: browser.email }] },
    });
    expect(Object.keys(await identityOf(browser)).sort()).toEqual(['created_at', 'email', 'id', 'provider']);
    expect((await (await loggedIn(app)).get('/users/me/identities')).body).toEqual({
      data: [],
      next_cursor: null,
    });
  });
});

describe('GET /users/me/identities in pages', () => {
  it('shows all of them, newest first', async () => {
    const browser = await loggedIn(app);
    const { id } = (await browser.get('/users/me')).body.user;
    const providers = ['first', 'second', 'third'];
    for (const name of providers)
      await app.database.rows(
        'INSERT INTO identities (id, user_id, provider, subject) VALUES ($1, $2, $3, $4)',
        [uuidv7(), id, name, browser.email],
      );

    const first = (await browser.get('/users/me/identities?limit=2')).body;
    const second = (await browser.get(`/users/me/identities?limit=2&cursor=${first.next_cursor}`)).body;

    const seen = [...first.data, ...second.data].map((identity) => identity.provider);
    expect(seen).toEqual(providers.reverse());
    expect(second.next_cursor).toBeNull();
  });

  it.each(['limit=0', 'limit=101', 'cursor=nonsense'])('refuses %s', async (query) => {
    const browser = await loggedIn(app);

    expect(await browser.get(`/users/me/identities?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed' },
    });
  });
});

describe('DELETE /users/me/identities/:id', () => {
  it('refuses to remove the last way to log in', async () => {
    const browser = await viaProvider();
    const { id } = await identityOf(browser);

    expect(await browser.delete(`/users/me/identities/${id}`)).toMatchObject({
      status: 409,
      body: { code: 'LastLoginMethod' },
    });
    expect(await identityOf(browser)).toMatchObject({ id });
  });

  it('removes an identity from an account with a password, and no longer knows its subject', async () => {
    const email = await verified(app);
    const browser = await viaProvider(email);
    const { id } = await identityOf(browser);

    expect((await browser.delete(`/users/me/identities/${id}`)).status).toBe(204);

    expect(await app.database.rows('SELECT 1 FROM identities WHERE subject = $1', [browser.sub])).toEqual([]);
  });

  it("answers for another user's identity as for one that does not exist", async () => {
    const [browser, stranger] = [await loggedIn(app), await viaProvider()];
    const { id } = await identityOf(stranger);

    const [foreign, missing] = [
      await browser.delete(`/users/me/identities/${id}`),
      await browser.delete('/users/me/identities/01890000-0000-7000-8000-000000000000'),
    ];

    expect(foreign.status).toBe(404);
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' });
    expect(await identityOf(stranger)).toMatchObject({ id });
  });
});

describe('an account without a password', () => {
  it('gets one through forgot and reset, and may then drop the identity', async () => {
    const browser = await viaProvider();
    await browser.post('/password/forgot', { email: browser.email });
    const token = await app.mailbox.token(browser.email);

    expect(
      (await browser.post('/password/reset', { token, new_password: 'a first pass phrase' })).status,
    ).toBe(204);

    const again = await loggedIn(app, browser.email, 'a first pass phrase');
    expect((await again.get('/users/me')).body.user.has_password).toBe(true);
    expect((await again.delete(`/users/me/identities/${(await identityOf(again)).id}`)).status).toBe(204);
  });
});
