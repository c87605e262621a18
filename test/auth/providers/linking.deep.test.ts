import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS, freshAddress, loggedIn, PASSWORD, verified } from '../../support/accounts.js';
import {
  callbackAs,
  failure,
  IdentityProvider,
  loginThrough,
  type ProviderAccount,
} from '../../support/identity-provider.js';
import { Held } from '../../support/lock-step.js';
import { signupsOf } from '../../support/signups.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
let b2b: TestApp;
let provider: IdentityProvider;
beforeAll(async () => {
  provider = await IdentityProvider.start();
  app = await TestApp.start(provider.variables);
  b2b = await TestApp.start({ ...provider.variables, SVC_APP_MODE: 'b2b' }, { database: app.database });
});
afterAll(async () => {
  await b2b.nest.close();
  await app.close();
  await provider.stop();
});

const WELCOME = { status: 302, headers: { location: 'http://localhost:5173/' } };

const newAccount = (claims: Partial<ProviderAccount> = {}): ProviderAccount => ({
  sub: `subject of ${freshAddress()}`,
  email: freshAddress(),
  email_verified: true,
  ...claims,
});
const user = async (email: string | undefined) =>
  (await app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]))[0];

/** An invitation as an organization's admin sends it. */
async function invite(email: string | undefined, { role = 'readonly', expiresIn = '7 days' } = {}) {
  const token = randomBytes(32).toString('base64url');
  const [org] = await app.database.rows(
    `INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'Analytical') RETURNING id`,
  );
  const admin = await app.database.value(
    `WITH admin AS (INSERT INTO users (id, email) VALUES (gen_random_uuid(), $1) RETURNING id)
     INSERT INTO memberships (user_id, org_id, role, joined_by) SELECT id, $2, 'org_admin', 'founded' FROM admin RETURNING user_id`,
    [freshAddress(), org.id],
  );
  await app.database.rows(
    `INSERT INTO invitations (id, org_id, email, role, invited_by, token_hash, expires_at)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, now() + $6::interval)`,
    [org.id, email, role, admin, createHash('sha256').update(token).digest(), expiresIn],
  );
  return { orgId: org.id, query: `?invitation_token=${token}` };
}

describe('a first login through the provider', () => {
  it('makes an account for an address that has none', async () => {
    const who = newAccount();
    expect(await loginThrough(provider, app.browser(), who)).toMatchObject(WELCOME);

    expect(await user(who.email)).toMatchObject({ role: 'member', password_hash: null });
    expect((await user(who.email)).email_verified_at).not.toBeNull();
  });

  it('joins the account that verified the address, keeps its password and sessions, and mails the owner', async () => {
    const before = await loggedIn(app);
    const browser = app.browser();

    await loginThrough(provider, browser, newAccount({ email: before.email.toUpperCase() }));

    expect((await browser.get('/users/me')).body.user.email).toBe(before.email);
    expect((await before.get('/users/me')).status).toBe(200);
    expect(
      (await app.browser().post('/auth/login', { email: before.email, password: PASSWORD })).status,
    ).toBe(200);
    const subjects = (await app.mailbox.to(before.email)).map(({ subject }) => subject);
    expect(subjects).toContain('A new way to log in to your account');
  });

  it('drops the password, sessions and links of an account that never verified the address', async () => {
    const planted = await loggedIn(app);
    const { email } = planted;
    await app.browser().post('/password/forgot', { email });
    const resetToken = await app.mailbox.token(email);
    await app.database.rows('UPDATE users SET email_verified_at = NULL WHERE email = $1', [email]);

    expect(await loginThrough(provider, app.browser(), newAccount({ email }))).toMatchObject(WELCOME);

    expect((await planted.get('/users/me')).status).toBe(401);
    expect((await app.browser().post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
    const reset = { token: resetToken, new_password: 'a pass phrase of the intruder' };
    expect((await app.browser().post('/password/reset', reset)).body.code).toBe('InvalidToken');
    expect(await user(email)).toMatchObject({ password_hash: null, email_verified_at: expect.any(Date) });
  });

  it('makes an account although strangers have signed up with the address, and ends their signups', async () => {
    const email = freshAddress();
    const stranger = app.browser();
    await stranger.post('/auth/signup-org', { org_name: 'Squatters', email, password: PASSWORD });
    const token = await app.mailbox.token(email);

    expect(await loginThrough(provider, app.browser(), newAccount({ email }))).toMatchObject(WELCOME);

    expect(await user(email)).toMatchObject({ password_hash: null, org_id: null, role: 'member' });
    expect((await stranger.post('/auth/verify-email', { token })).body.code).toBe('InvalidToken');
    expect(await signupsOf(app, email)).toEqual([]);
    expect((await app.browser().post('/auth/login', { email, password: PASSWORD })).status).toBe(401);
  });

  it('neither joins nor makes an account when the provider has not verified the address', async () => {
    const [taken, free] = [await verified(app), freshAddress()];
    for (const email of [taken, free]) {
      const who = newAccount({ email, email_verified: false });
      expect(await loginThrough(provider, app.browser(), who)).toMatchObject(failure('email_not_verified'));
    }
    expect(await user(free)).toBeUndefined();
    expect(await app.database.rows('SELECT 1 FROM identities WHERE email = $1', [taken])).toEqual([]);
  });

  it('does not open an account whose address has passed to another subject', async () => {
    const first = newAccount();
    await loginThrough(provider, app.browser(), first);

    const heir = newAccount({ email: first.email ?? '' });
    expect(await loginThrough(provider, app.browser(), heir)).toMatchObject(failure('account_conflict'));
    expect(await app.database.rows('SELECT 1 FROM identities WHERE subject = $1', [heir.sub])).toEqual([]);
  });

  it('does not open a disabled account, nor link to it', async () => {
    const email = await verified(app);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [email]);

    expect(await loginThrough(provider, app.browser(), newAccount({ email }))).toMatchObject(
      failure('account_disabled'),
    );
    expect(await app.database.rows('SELECT 1 FROM identities WHERE email = $1', [email])).toEqual([]);
  });

  it('makes one account and one identity when 8 requests come at once', async () => {
    const who = newAccount();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => loginThrough(provider, app.browser(), who)),
    );

    for (const answer of answers) expect(answer).toMatchObject(WELCOME);
    expect(await app.database.rows('SELECT 1 FROM users WHERE email = $1', [who.email])).toHaveLength(1);
    expect(await app.database.rows('SELECT 1 FROM identities WHERE subject = $1', [who.sub])).toHaveLength(1);
  });
});

describe('a later login through the provider', () => {
  it('finds the account by the subject, although the address has changed', async () => {
    const who = newAccount();
    await loginThrough(provider, app.browser(), who);

    for (const claims of [
      { email: freshAddress() },
      { email_verified: false },
      { email: await verified(app) },
    ]) {
      const browser = app.browser();
      expect(await loginThrough(provider, browser, { ...who, ...claims })).toMatchObject(WELCOME);
      expect((await browser.get('/users/me')).body.user.email).toBe(who.email);
    }
  });

  it('is refused once the account is disabled', async () => {
    const who = newAccount();
    await loginThrough(provider, app.browser(), who);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [who.email]);

    expect(await loginThrough(provider, app.browser(), who)).toMatchObject(failure('account_disabled'));
  });

  it('ends in access_denied when the user cancels', async () => {
    const browser = app.browser();
    expect(await loginThrough(provider, browser, 'cancel')).toMatchObject(failure('access_denied'));
    expect(browser.jar.has('session_id')).toBe(false);
  });

  it('starts a session with a fresh token and ends the session of the cookie that came along', async () => {
    const browser = await loggedIn(app);
    const earlier = app.browser({ cookie: `session_id=${browser.jar.get('session_id')}` });

    await loginThrough(provider, browser, newAccount());

    expect((await earlier.get('/users/me')).status).toBe(401);
    expect((await browser.get('/users/me')).status).toBe(200);
  });
});

describe('in B2B', () => {
  it('a stranger needs an invitation', async () => {
    const who = newAccount();
    expect(await loginThrough(provider, b2b.browser(), who)).toMatchObject(failure('invitation_required'));
    expect(await user(who.email)).toBeUndefined();
  });

  it('a login joins an account that exists', async () => {
    const email = await verified(app);
    expect(await loginThrough(provider, b2b.browser(), newAccount({ email }))).toMatchObject(WELCOME);
  });

  it('an invitation of the verified address makes the account once, with its organization and role', async () => {
    const who = newAccount();
    const { orgId, query } = await invite(who.email);

    expect(await loginThrough(provider, b2b.browser(), who, query)).toMatchObject(WELCOME);

    expect(await user(who.email)).toMatchObject({ org_id: orgId, role: 'readonly' });
    expect(
      await app.database.value('SELECT accepted_at FROM invitations WHERE org_id = $1', [orgId]),
    ).not.toBeNull();
  });

  it('an invitation declined at that moment makes no account beside the organization', async () => {
    const who = newAccount();
    const { orgId, query } = await invite(who.email);
    const token = query.replace('?invitation_token=', '');
    const browser = b2b.browser();
    const callback = await callbackAs(provider, browser, who, query);

    const held = await Held.by(
      app.database,
      `INSERT INTO identities (id, user_id, provider, subject)
       SELECT gen_random_uuid(), id, $1, $2 FROM users WHERE email = $3`,
      [b2b.environment.idpIssuer, who.sub, await verified(app)],
    );
    const landing = browser.get(callback);
    await held.untilWaiting(1);
    const declining = b2b.browser().post('/invitations/decline', { token });
    await Promise.race([declining, held.untilWaiting(2)]);
    await held.release('ROLLBACK');

    await Promise.all([landing, declining]);
    expect([undefined, orgId]).toContain((await user(who.email))?.org_id);
  });
});

describe('an invitation', () => {
  it('is accepted by an account without an organization, and its token never reaches the provider', async () => {
    const email = await verified(app);
    const { orgId, query } = await invite(email, { role: 'org_admin' });
    const begun = await app.browser().get(`/auth/oauth/idp/authorize-url${query}`);
    expect(begun.body.authorization_url).not.toContain(query.split('=')[1]);

    await loginThrough(provider, app.browser(), newAccount({ email }), query);

    expect(await user(email)).toMatchObject({ org_id: orgId, role: 'org_admin' });
  });

  it('is accepted by the account of its address, whatever address the provider gives for its subject', async () => {
    const who = newAccount();
    await loginThrough(provider, app.browser(), who);
    const { orgId, query } = await invite(who.email);

    const moved = { ...who, email: freshAddress() };
    expect(await loginThrough(provider, app.browser(), moved, query)).toMatchObject(WELCOME);

    expect((await user(who.email)).org_id).toBe(orgId);
  });
});

describe('a login with an invitation that cannot be accepted', () => {
  /** Invitations of an address that are not valid, and why. */
  const SPOILT: [string, (email: string) => Promise<string>][] = [
    ['expired', async (email) => (await invite(email, { expiresIn: '-1 second' })).query],
    ['used', async (email) => spoil(email, 'accepted_at')],
    ['revoked', async (email) => spoil(email, 'revoked_at')],
    ['for another address', async () => (await invite(freshAddress())).query],
    ['unknown', async () => `?invitation_token=${randomBytes(32).toString('base64url')}`],
  ];

  async function spoil(email: string, column: 'accepted_at' | 'revoked_at') {
    const { orgId, query } = await invite(email);
    await app.database.rows(`UPDATE invitations SET ${column} = now() WHERE org_id = $1`, [orgId]);
    return query;
  }

  /** All that a login might leave behind. */
  const traces = async (email: string | undefined) => ({
    user: await user(email),
    identities: await app.database.rows('SELECT 1 FROM identities WHERE email = $1', [email]),
    sessions: await app.database.value('SELECT count(*)::int FROM sessions'),
    mails: await app.database.value('SELECT count(*)::int FROM outbox_mails'),
    events: await app.database.value('SELECT count(*)::int FROM audit_events'),
    taken: await app.database.value('SELECT count(*)::int FROM invitations WHERE accepted_at IS NOT NULL'),
  });

  it.each(SPOILT)('ends in invitation_invalid and stores nothing for a stranger: %s', async (_, spoilt) => {
    for (const service of [app, b2b]) {
      const who = newAccount();
      const query = await spoilt(String(who.email));
      const before = await traces(who.email);
      const browser = service.browser();

      expect(await loginThrough(provider, browser, who, query)).toMatchObject(failure('invitation_invalid'));

      expect(await traces(who.email)).toEqual(before);
      expect(browser.jar.has('session_id')).toBe(false);
    }
  });

  it.each(SPOILT)('ends in invitation_invalid and does not change an account: %s', async (_, spoilt) => {
    const email = await verified(app);
    const query = await spoilt(email);
    const before = await traces(email);

    expect(await loginThrough(provider, app.browser(), newAccount({ email }), query)).toMatchObject(
      failure('invitation_invalid'),
    );

    expect(await traces(email)).toEqual(before);
  });

  it.each(['first', 'later'])(
    'ends in invitation_conflict for a member of another organization, at the %s login, and keeps the invitation',
    async (time) => {
      const who = newAccount();
      const first = await invite(who.email);
      await loginThrough(provider, app.browser(), who, first.query);
      if (time === 'first') await app.database.rows('DELETE FROM identities WHERE email = $1', [who.email]);
      const { query } = await invite(who.email);
      const before = await traces(who.email);

      expect(await loginThrough(provider, app.browser(), who, query)).toMatchObject(
        failure('invitation_conflict'),
      );

      expect(await traces(who.email)).toEqual(before);
      expect(before.user.org_id).toBe(first.orgId);
    },
  );

  it('does not mention the invitation to a disabled account', async () => {
    const email = await verified(app);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [email]);
    const { query } = await invite(freshAddress());

    expect(await loginThrough(provider, app.browser(), newAccount({ email }), query)).toMatchObject(
      failure('account_disabled'),
    );
  });
});
