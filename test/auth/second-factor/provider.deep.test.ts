import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS, activeSessions, loggedInAs, PASSWORD } from '../../support/accounts.js';
import {
  type AppOwner,
  addApp,
  appOwner,
  forgetSteps,
  SECOND_FACTOR,
} from '../../support/authenticator-app.js';
import type { Answer, Browser } from '../../support/browser.js';
import { emptyOrg, invitationFor } from '../../support/crowd.js';
import { failure, IdentityProvider, loginThrough } from '../../support/identity-provider.js';
import { type Member, organize } from '../../support/orgs.js';
import { optionsOf, PasskeyOwner } from '../../support/passkeys.js';
import { TestApp } from '../../support/test-app.js';

let provider: IdentityProvider;
let app: TestApp;
let strong: TestApp;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  const variables = { ...provider.variables, SVC_APP_MODE: 'b2b' };
  app = await TestApp.start(variables);
  strong = await TestApp.start({ ...variables, SVC_IDP_IS_STRONG: 'true' }, { database: app.database });
});
afterAll(async () => {
  await strong.nest.close();
  await app.close();
  await provider.stop();
});

/** The owner of an app, as the provider describes them. */
const atProvider = ({ id, email }: Pick<AppOwner, 'id' | 'email'>) => ({
  sub: id,
  email,
  email_verified: true,
});

const subjectsOf = ({ id }: Pick<AppOwner, 'id'>) =>
  app.database.rows('SELECT subject FROM identities WHERE user_id = $1', [id]);

/** The owner of an app and of a passkey. */
async function passkeyOwner(): Promise<PasskeyOwner> {
  const owner = await PasskeyOwner.in(app);
  await addApp(app, owner);
  return owner;
}

/** Logs in with a passkey in a browser, as the second step of the login that waits there. */
async function withPasskey(
  browser: Browser,
  { authenticator }: PasskeyOwner,
  body: { second_step?: boolean } = { second_step: true },
): Promise<Answer> {
  const options = await optionsOf(browser.post('/auth/passkey/options'));
  return browser.post('/auth/passkey/login', { credential: authenticator.get(options), ...body });
}

/** Links a subject of the provider to a user. */
const linkTo = ({ id }: { id: string }, subject: string) =>
  app.database.rows(
    'INSERT INTO identities (id, user_id, provider, subject) VALUES (gen_random_uuid(), $1, $2, $3)',
    [id, provider.issuer, subject],
  );

/** A first login through the strong provider, with its second step. */
async function linkedByStrong(owner: AppOwner): Promise<void> {
  const browser = strong.browser();
  await loginThrough(provider, browser, atProvider(owner));
  await forgetSteps(app, owner.id);
  expect((await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
}

const orgOf = ({ id }: AppOwner) => app.database.value(`SELECT org_id FROM ${ACCOUNTS} WHERE id = $1`, [id]);

describe('a login through the provider to an account with an authenticator app', () => {
  it('leads to the page of the second step, and from there to where it began', async () => {
    const owner = await appOwner(app);
    const browser = app.browser();
    const callback = await loginThrough(
      provider,
      browser,
      atProvider(owner),
      '?return_to=%2Fsettings%3Ftab%3D2',
    );

    expect(callback).toMatchObject({
      status: 302,
      headers: { location: 'http://localhost:5173/second-step?return_to=%2Fsettings%3Ftab%3D2' },
    });
    expect([...browser.jar.keys()]).toEqual(['session_id_pending']);
    expect((await browser.get('/users/me')).status).toBe(401);
    expect(await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).toMatchObject({
      status: 200,
      body: { session: { auth_method: 'idp', aal: 2 } },
    });
  });

  it('leaves the session that the browser had until the second step is done', async () => {
    const [owner, other] = [await appOwner(app), await loggedInAs(app, 'member')];
    await loginThrough(provider, other, atProvider(owner));

    expect((await other.get('/users/me')).body.user.id).toBe(other.id);
    expect((await other.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
    expect((await other.get('/users/me')).body.user.id).toBe(owner.id);
    expect(await activeSessions(app, other)).toBe(0);
  });

  it('is a whole login where the provider asks for a second factor by itself', async () => {
    const owner = await appOwner(app);
    await linkedByStrong(owner);
    const browser = strong.browser();
    const { headers } = await loginThrough(provider, browser, atProvider(owner));

    expect(headers.location).toBe('http://localhost:5173/');
    expect((await browser.get('/users/me')).body.session).toMatchObject({ auth_method: 'idp', aal: 2 });
  });

  it('is a proof as old as the login at such a provider, where that knew its user already', async () => {
    const owner = await appOwner(app);
    await linkedByStrong(owner);
    const loggedInAt = Math.floor(Date.now() / 1000) - 3600;
    provider.loggedInAt = loggedInAt;
    const browser = strong.browser();
    await loginThrough(provider, browser, atProvider(owner));
    provider.loggedInAt = undefined;

    const { session } = (await browser.get('/users/me')).body;
    expect(session).toMatchObject({ aal: 2, authenticated_at: new Date(loggedInAt * 1000).toISOString() });
  });

  it('keeps the level that a strong provider gave it when the owner removes the app', async () => {
    const owner = await appOwner(app);
    await linkedByStrong(owner);
    const browser = strong.browser();
    await loginThrough(provider, browser, atProvider(owner));

    expect((await owner.browser.delete('/users/me/totp')).status).toBe(204);
    expect((await browser.get('/users/me')).body.session.aal).toBe(2);
  });

  it.each(['strong', 'other'])(
    'takes the second step at the first login through a provider, and links the identity only then: a %s one',
    async (kind) => {
      const owner = await appOwner(app);
      const browser = (kind === 'strong' ? strong : app).browser();
      const { headers } = await loginThrough(provider, browser, atProvider(owner));
      const mails = async () => (await app.mailbox.to(owner.email)).map(({ subject }) => subject);

      expect(headers.location).toBe('http://localhost:5173/second-step?return_to=%2F');
      expect((await browser.get('/users/me')).status).toBe(401);
      expect(await subjectsOf(owner)).toEqual([]);
      expect(await mails()).not.toContain('A new way to log in to your account');

      await forgetSteps(app, owner.id);
      expect((await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
      expect(await subjectsOf(owner)).toEqual([{ subject: owner.id }]);
      expect(await mails()).toContain('A new way to log in to your account');
    },
  );

  it('says which provider is linked, at the first login through it and not at a later one', async () => {
    const owner = await appOwner(app);
    const pending = async () => {
      const browser = app.browser();
      await loginThrough(provider, browser, atProvider(owner));
      await forgetSteps(app, owner.id);
      const { pending_login } = (await browser.get('/auth/pending-login')).body;
      expect((await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
      return pending_login;
    };

    expect((await pending()).links).toEqual({ provider: 'idp', issuer: provider.issuer });
    expect((await pending()).links).toBeNull();
    await forgetSteps(app, owner.id);
    const byPassword = await app.browser().post('/auth/login', { email: owner.email, password: PASSWORD });
    expect(byPassword.body.pending_login.links).toBeNull();
  });

  it('links the identity too where the second step is a passkey', async () => {
    const owner = await passkeyOwner();
    const browser = app.browser();
    await loginThrough(provider, browser, atProvider(owner));
    expect(await subjectsOf(owner)).toEqual([]);

    expect(await withPasskey(browser, owner)).toMatchObject({ status: 200, body: { session: { aal: 2 } } });
    expect(await subjectsOf(owner)).toEqual([{ subject: owner.id }]);
    const subjects = (await app.mailbox.to(owner.email)).map(({ subject }) => subject);
    expect(subjects).toContain('A new way to log in to your account');
    expect((await browser.get('/auth/pending-login')).status).toBe(401);
  });

  it.each<{ second_step?: boolean }>([{}, { second_step: false }])(
    'links no identity by a passkey with %j: its owner may not have seen the page of the second step',
    async (body) => {
      const owner = await passkeyOwner();
      const browser = app.browser();
      await loginThrough(provider, browser, { ...atProvider(owner), sub: `stranger of ${owner.id}` });

      expect((await withPasskey(browser, owner, body)).status).toBe(200);
      expect(await subjectsOf(owner)).toEqual([]);
      expect(browser.jar.has('session_id_pending')).toBe(false);
      expect(await app.database.rows('SELECT 1 FROM pending_logins WHERE user_id = $1', [owner.id])).toEqual(
        [],
      );
    },
  );

  it('links no identity by the passkey of another account, whose login ends the one that waited', async () => {
    const [owner, other] = [await appOwner(app), await passkeyOwner()];
    const browser = app.browser();
    await loginThrough(provider, browser, atProvider(owner));
    const former = app.browser();
    former.jar.set('session_id_pending', browser.jar.get('session_id_pending') ?? '');

    expect((await withPasskey(browser, other)).body.user.id).toBe(other.id);
    expect([...(await subjectsOf(owner)), ...(await subjectsOf(other))]).toEqual([]);
    expect((await former.get('/auth/pending-login')).status).toBe(401);
  });

  it('logs in by the passkey alone where the identity was linked to another account meanwhile', async () => {
    const [owner, other] = [await passkeyOwner(), await loggedInAs(app, 'member')];
    const browser = app.browser();
    await loginThrough(provider, browser, atProvider(owner));
    await linkTo(other, owner.id);

    expect((await withPasskey(browser, owner)).body.user.id).toBe(owner.id);
    expect(await subjectsOf(owner)).toEqual([]);
  });

  it('links no identity whose login the owner disowned while it waited for its second step', async () => {
    const owner = await appOwner(app);
    const stranger = { ...atProvider(owner), sub: `stranger of ${owner.id}` };
    const browser = app.browser();
    await loginThrough(provider, browser, stranger);
    const token = await app.mailbox.token(owner.email);
    expect((await browser.delete('/auth/pending-login')).status).toBe(204);
    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);

    const again = await loginThrough(provider, app.browser(), stranger);
    expect(again).toMatchObject(failure('account_conflict'));
    expect(await subjectsOf(owner)).toEqual([]);
  });

  it('completes no login whose identity was linked to another account meanwhile', async () => {
    const [owner, other] = [await appOwner(app), await loggedInAs(app, 'member')];
    const browser = app.browser();
    await loginThrough(provider, browser, atProvider(owner));
    await linkTo(other, owner.id);

    await forgetSteps(app, owner.id);
    expect((await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(401);
    expect(await activeSessions(app, owner)).toBe(1);
  });

  it('accepts no invitation before the second step: the admins of its organization could reset the app', async () => {
    const owner = await appOwner(app);
    const orgId = await emptyOrg(app.database);
    const query = `?invitation_token=${await invitationFor(app.database, owner.email, orgId)}`;

    const browser = app.browser();
    const refused = await loginThrough(provider, browser, atProvider(owner), query);
    expect(refused).toMatchObject(failure('invitation_login_first'));
    expect(browser.jar.size).toBe(0);
    expect(await orgOf(owner)).toBeNull();

    await loginThrough(provider, browser, atProvider(owner));
    await forgetSteps(app, owner.id);
    expect((await browser.post(SECOND_FACTOR, { totp: owner.app.code() })).status).toBe(200);
    const token = query.slice(query.indexOf('=') + 1);
    expect((await browser.post('/invitations/accept', { token })).status).toBe(200);
    expect(await orgOf(owner)).toBe(orgId);
  });

  it('accepts an invitation at once where the provider is strong, and was linked before', async () => {
    const owner = await appOwner(app);
    const orgId = await emptyOrg(app.database);
    const query = `?invitation_token=${await invitationFor(app.database, owner.email, orgId)}`;
    const first = await loginThrough(provider, strong.browser(), atProvider(owner), query);
    expect(first).toMatchObject(failure('invitation_login_first'));
    expect(await orgOf(owner)).toBeNull();

    await linkedByStrong(owner);
    const { headers } = await loginThrough(provider, strong.browser(), atProvider(owner), query);
    expect(headers.location).toBe('http://localhost:5173/');
    expect(await orgOf(owner)).toBe(orgId);
  });
});

describe('the record of a first login through the provider that waits for its second step', () => {
  it('names the account there to the service and its owner, and to no admin of their organization', async () => {
    const [owner, admin] = [await appOwner(app), await loggedInAs(app, 'org_admin')];
    await organize(app, owner.browser as Member, admin);
    await loginThrough(provider, app.browser(), atProvider(owner));
    const detailsFor = async (browser: Browser, scope: string) => {
      const path = `/audit-events?scope=${scope}&type=login.pending&user_id=${owner.id}`;
      return (await browser.get(path)).body.data.map(({ details }: { details: object }) => details);
    };

    const whole = { auth_method: 'idp', issuer: provider.issuer, subject: owner.id };
    expect(await detailsFor(admin, 'org')).toEqual([{ auth_method: 'idp' }]);
    expect(await detailsFor(owner.browser, 'me')).toEqual([whole]);
    expect(await detailsFor(await loggedInAs(app, 'sys_admin'), 'all')).toEqual([whole]);
  });
});

describe('a first login through the provider with an invitation to an organization that requires a factor', () => {
  it('joins, and leads through the set-up', async () => {
    const orgId = await emptyOrg(app.database);
    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
      orgId,
    ]);
    const email = `${orgId}@example.com`;
    const query = `?invitation_token=${await invitationFor(app.database, email, orgId)}`;
    const browser = app.browser();
    const who = { sub: orgId, email, email_verified: true };
    const { headers } = await loginThrough(provider, browser, who, query);

    expect(headers.location).toBe('http://localhost:5173/second-step?return_to=%2F');
    expect((await browser.get('/auth/pending-login')).body.pending_login).toMatchObject({ next: 'setup' });
    const id = await app.database.value('SELECT id FROM users WHERE email = $1', [email]);
    expect(await activeSessions(app, { id })).toBe(0);
  });
});
