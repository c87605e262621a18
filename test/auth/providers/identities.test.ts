import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { freshAddress, loggedIn, PASSWORD, verified } from '../../support/accounts.js';
import { ageProof } from '../../support/authenticator-app.js';
import type { Browser } from '../../support/browser.js';
import type { IdentityProvider } from '../../support/identity-provider.js';
import { callbackAs, failure, loginThrough, startWithProvider } from '../../support/identity-provider.js';
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
      body: { data: [{ provider: 'idp', issuer: provider.issuer, email: browser.email }] },
    });
    expect(Object.keys(await identityOf(browser)).sort()).toEqual([
      'created_at',
      'email',
      'id',
      'issuer',
      'provider',
    ]);
    expect((await (await loggedIn(app)).get('/users/me/identities')).body).toEqual({
      data: [],
      next_cursor: null,
    });
  });
});

describe('GET /users/me/identities in pages', () => {
  it('shows all of them, newest first, also of providers that the settings no longer name', async () => {
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

    const seen = [...first.data, ...second.data].map(({ provider, issuer }) => ({ provider, issuer }));
    expect(seen).toEqual(providers.reverse().map((issuer) => ({ provider: null, issuer })));
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

describe('an identity that was unlinked', () => {
  const claims = ({ sub, email }: { sub: string; email: string }) => ({ sub, email, email_verified: true });

  /** An account with a password, whose identity its owner has unlinked. */
  async function unlinked() {
    const browser = await viaProvider(await verified(app));
    await browser.delete(`/users/me/identities/${(await identityOf(browser)).id}`);
    return browser;
  }

  it('does not link itself again at its next login', async () => {
    const owner = await unlinked();
    const stranger = app.browser();

    expect(await loginThrough(provider, stranger, claims(owner))).toMatchObject(failure('account_conflict'));
    expect((await stranger.get('/users/me')).status).toBe(401);
    expect(await identityOf(owner)).toBeUndefined();
  });

  it('is linked again, with a mail, by a login that its owner begins while logged in', async () => {
    const owner = await unlinked();

    expect((await loginThrough(provider, owner, claims(owner))).headers.location).toBe(
      'http://localhost:5173/',
    );
    expect(await identityOf(owner)).toMatchObject({ email: owner.email });
    const subjects = (await app.mailbox.to(owner.email)).map(({ subject }) => subject);
    expect(subjects.filter((each) => each === 'A new way to log in to your account')).toHaveLength(2);
    expect((await loginThrough(provider, app.browser(), claims(owner))).headers.location).toBe(
      'http://localhost:5173/',
    );
  });

  it('is not linked again by a session of another account, with an old proof, or that ended meanwhile', async () => {
    const owner = await unlinked();
    const other = await loggedIn(app);
    const stale = await loggedIn(app, owner.email, PASSWORD);
    await ageProof(app, stale);
    for (const browser of [other, stale])
      expect(await loginThrough(provider, browser, claims(owner))).toMatchObject(failure('account_conflict'));

    const callback = await callbackAs(provider, owner, claims(owner));
    await owner.post('/auth/logout');
    expect(await owner.get(callback)).toMatchObject(failure('account_conflict'));
  });

  it('stays refused after a reset of the password', async () => {
    const owner = await unlinked();
    await owner.post('/password/forgot', { email: owner.email });
    const token = await app.mailbox.token(owner.email);
    await owner.post('/password/reset', { token, new_password: 'another pass phrase' });

    expect(await loginThrough(provider, app.browser(), claims(owner))).toMatchObject(
      failure('account_conflict'),
    );
  });

  it('is refused as well where the owner said “this was not me”', async () => {
    const owner = await viaProvider(await verified(app));
    const { text } = await app.mailbox.last(owner.email);
    const token = /secure-account\?token=(\S+)/.exec(text)?.[1];
    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);

    expect(await loginThrough(provider, app.browser(), claims(owner))).toMatchObject(
      failure('account_conflict'),
    );
  });

  it('ends the other sessions that a login through a provider began, and no session of the password', async () => {
    const owner = await viaProvider(await verified(app));
    const other = app.browser();
    await loginThrough(provider, other, claims(owner));
    const byPassword = await loggedIn(app, owner.email, PASSWORD);

    await owner.delete(`/users/me/identities/${(await identityOf(owner)).id}`);

    const statuses = [owner, other, byPassword].map(async (each) => (await each.get('/users/me')).status);
    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
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
