import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ACCOUNTS,
  activeSessions,
  freshAddress,
  loggedIn,
  loggedInAs,
  PASSWORD,
  verified,
} from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, invite, organize } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

type Person = Browser & { email: string; id: string };

let app: TestApp;
let admin: Person;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.database.rows('TRUNCATE users, organizations CASCADE');
  admin = await loggedInAs(app, 'sys_admin');
});

const stored = async ({ id }: { id: string }) =>
  (await app.database.rows(`SELECT role, disabled_at FROM ${ACCOUNTS} WHERE id = $1`, [id]))[0];
const change = (browser: Browser, { id }: { id: string }, body: object) =>
  browser.patch(`/users/${id}`, body);

describe('PATCH /users/:id with a role', () => {
  it.each(['readonly', 'member', 'sys_admin'] as const)('gives a user the role %s', async (role) => {
    const user = await loggedInAs(app, role === 'member' ? 'readonly' : 'member');

    const answer = await change(admin, user, { role });

    expect(answer).toMatchObject({ status: 200, body: { user: { id: user.id, email: user.email, role } } });
    expect(await stored(user)).toEqual({ role, disabled_at: null });
    expect(await activeSessions(app, user)).toBe(1);
  });

  it('gives the role org_admin to a member of an organization', async () => {
    const user = await loggedInAs(app, 'member');
    await organize(app, user);

    expect((await change(admin, user, { role: 'org_admin' })).body.user.role).toBe('org_admin');
  });

  it('refuses the role org_admin to a user without an organization', async () => {
    const user = await loggedInAs(app, 'member');

    expect(await change(admin, user, { role: 'org_admin' })).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field: 'role' }] },
    });
    expect((await stored(user)).role).toBe('member');
  });

  it('takes the password from an account that never proved its address', async () => {
    const email = await verified(app, { password: 'planted by a stranger' });
    const sql = 'UPDATE users SET email_verified_at = NULL WHERE email = $1 RETURNING id';
    const id = await app.database.value(sql, [email]);

    expect((await change(admin, { id }, { role: 'sys_admin' })).status).toBe(200);

    expect(await app.database.value('SELECT password_hash FROM users WHERE id = $1', [id])).toBeNull();
  });

  it('takes effect on the next request: the former admin is refused, the new one is not', async () => {
    const other = await loggedInAs(app, 'sys_admin');

    await change(admin, other, { role: 'member' });
    expect(await other.get('/users')).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });

    await change(admin, other, { role: 'sys_admin' });
    expect((await other.get('/users')).status).toBe(200);
  });

  it.each([
    ['the last admin of an organization with other members', 'org_admin', 'member'],
    ['the last admin of an organization with other members', 'org_admin', 'readonly'],
    ['a SYSTEM_ADMIN who is the only admin of an organization', 'sys_admin', 'member'],
  ] as const)('keeps the role of %s, from %s to %s', async (_, role, lower) => {
    const user = await loggedInAs(app, role);
    await organize(app, user, await loggedInAs(app, 'member'));

    expect(await change(admin, user, { role: lower })).toMatchObject({
      status: 409,
      body: { code: 'LastOrgAdmin' },
    });
    expect(await stored(user)).toEqual({ role, disabled_at: null });
    expect((await user.get('/users/me')).status).toBe(200);
  });

  it('does not count an admin who is disabled', async () => {
    const [user, disabled] = [await loggedInAs(app, 'org_admin'), await loggedInAs(app, 'org_admin')];
    await organize(app, user, disabled);
    expect((await change(admin, disabled, { disabled: true })).status).toBe(200);

    expect((await change(admin, user, { role: 'member' })).body.code).toBe('LastOrgAdmin');

    await change(admin, disabled, { disabled: false });
    expect((await change(admin, user, { role: 'member' })).status).toBe(200);
  });

  it('lets an organization lose a member who is no admin, but not an admin who is its only member', async () => {
    const [member, sole] = [await loggedInAs(app, 'member'), await loggedInAs(app, 'org_admin')];
    await organize(app, member, await loggedInAs(app, 'readonly'));
    await organize(app, sole);

    expect((await change(admin, member, { disabled: true })).status).toBe(200);
    expect((await change(admin, sole, { role: 'member' })).body.code).toBe('LastOrgAdmin');
  });

  it('disables even the last admin of an organization, and appoints another', async () => {
    const [user, member] = [await loggedInAs(app, 'org_admin'), await loggedInAs(app, 'member')];
    await organize(app, user, member);

    expect((await change(admin, user, { disabled: true })).status).toBe(200);
    expect((await user.get('/users/me')).status).toBe(401);
    expect((await change(admin, member, { role: 'org_admin' })).status).toBe(200);
  });

  it('lets the last admin of an organization become a SYSTEM_ADMIN and come back', async () => {
    const user = await loggedInAs(app, 'org_admin');
    await organize(app, user, await loggedInAs(app, 'member'));

    expect((await change(admin, user, { role: 'sys_admin' })).status).toBe(200);
    expect((await change(admin, user, { role: 'org_admin' })).status).toBe(200);
  });
});

describe('a user whom a SYSTEM_ADMIN made READONLY', () => {
  it('stays READONLY in an organization that invites them as its ORG_ADMIN, and after leaving it', async () => {
    const [org, user] = [await foundOrg(app), await loggedInAs(app, 'member')];
    await change(admin, user, { role: 'readonly' });

    const token = await invite(app, org.admin, org.id, user.email, 'org_admin');
    expect((await user.post('/invitations/accept', { token })).body.user.role).toBe('readonly');
    const member = `/orgs/${org.id}/members/${user.id}`;
    for (const role of ['member', 'org_admin'])
      expect((await org.admin.patch(member, { role })).body).toMatchObject({
        code: 'InsufficientRole',
        detail: 'A SYSTEM_ADMIN made this user READONLY, and has to lift that first.',
      });
    expect((await user.delete(member)).status).toBe(204);

    expect((await stored(user)).role).toBe('readonly');
    expect((await user.post('/users/me/org', { name: 'Mine' })).body.code).toBe('InsufficientRole');
    const subjects = (await app.mailbox.to(org.admin.email)).map(({ subject }) => subject);
    expect(subjects).not.toContain('There is a new administrator');
  });

  it('is a MEMBER again once a SYSTEM_ADMIN gives another role, in an organization or outside', async () => {
    const { id, admin: orgAdmin, member } = await foundOrg(app);
    await change(admin, member, { role: 'readonly' });
    await change(admin, member, { disabled: true });
    await change(admin, member, { disabled: false });
    const path = `/orgs/${id}/members/${member.id}`;
    expect((await orgAdmin.patch(path, { role: 'member' })).status).toBe(403);

    await change(admin, member, { role: 'member' });

    expect((await orgAdmin.patch(path, { role: 'readonly' })).status).toBe(200);
    expect((await orgAdmin.delete(path)).status).toBe(204);
    expect((await stored(member)).role).toBe('member');
  });
});

describe('GET /users/:id', () => {
  it('shows any user, and whether they are disabled', async () => {
    const user = await loggedInAs(app, 'member');
    const shown = async () => (await admin.get(`/users/${user.id}`)).body.user;

    expect(await shown()).toMatchObject({ id: user.id, email: user.email, disabled: false });
    expect((await change(admin, user, { disabled: true })).body.user.disabled).toBe(true);
    expect(await shown()).toMatchObject({ id: user.id, disabled: true });
  });

  it('answers NotFound for a deleted user', async () => {
    expect(await admin.get(`/users/${randomUUID()}`)).toMatchObject({
      status: 404,
      body: { code: 'NotFound' },
    });
  });
});

describe('PATCH /users/:id with disabled', () => {
  it("ends a user's sessions: their very next request is 401, and they cannot log in", async () => {
    const user = await loggedInAs(app, 'member');
    await loggedIn(app, user.email);

    expect((await change(admin, user, { disabled: true })).status).toBe(200);

    expect(await user.get('/users/me')).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(await activeSessions(app, user)).toBe(0);
    const login = await app.browser().post('/auth/login', { email: user.email, password: PASSWORD });
    expect(login.body.code).toBe('AccountDisabled');
  });

  it('lets them log in again once enabled; the sessions stay ended', async () => {
    const user = await loggedInAs(app, 'member');
    await change(admin, user, { disabled: true });

    expect((await change(admin, user, { disabled: false })).status).toBe(200);

    expect((await stored(user)).disabled_at).toBeNull();
    expect((await user.get('/users/me')).status).toBe(401);
    await loggedIn(app, user.email);
  });

  it('keeps the instant of the first disabling, and the disabling when only the role changes', async () => {
    const user = await loggedInAs(app, 'member');
    await change(admin, user, { disabled: true });
    const { disabled_at } = await stored(user);

    await change(admin, user, { disabled: true });
    await change(admin, user, { role: 'readonly' });

    expect(await stored(user)).toEqual({ role: 'readonly', disabled_at });
  });

  it('changes role and disabled at once, or neither', async () => {
    const user = await loggedInAs(app, 'member');

    expect((await change(admin, user, { role: 'org_admin', disabled: true })).status).toBe(400);
    expect(await stored(user)).toEqual({ role: 'member', disabled_at: null });

    await change(admin, user, { role: 'readonly', disabled: true });
    expect(await stored(user)).toEqual({ role: 'readonly', disabled_at: expect.any(Date) });
  });

  it('voids the links already mailed to the user, also for when they are enabled again', async () => {
    const user = await loggedInAs(app, 'member');
    await user.post('/password/forgot', { email: user.email });
    const token = await app.mailbox.token(user.email);

    for (const disabled of [true, false]) await change(admin, user, { disabled });

    const reset = await app.browser().post('/password/reset', { token, new_password: 'a new pass phrase' });
    expect(reset.body.code).toBe('InvalidToken');
  });

  it('voids the link to change the address, also for when the user is enabled again', async () => {
    const [user, newEmail] = [await loggedInAs(app, 'member'), freshAddress()];
    await user.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
    const token = await app.mailbox.token(newEmail);

    for (const disabled of [true, false]) await change(admin, user, { disabled });

    const again = await loggedIn(app, user.email);
    expect((await again.post('/users/me/email/confirm', { token })).body.code).toBe('InvalidToken');
    expect((await again.get('/users/me')).body.user.email).toBe(user.email);
  });

  it.each(['org_admin', 'sys_admin'] as const)(
    'revokes the invitations that a user who is an %s sent lately',
    async (role) => {
      const [org, late] = [await foundOrg(app), freshAddress()];
      const user = role === 'org_admin' ? org.admin : await loggedInAs(app, role);
      const token = await invite(app, user, org.id, late, 'org_admin');

      await change(admin, user, { disabled: true });
      await change(admin, user, { disabled: false });

      const accept = await app.browser().post('/invitations/accept', { token, password: PASSWORD });
      expect(accept.body.code).toBe('InvalidToken');
      const row = 'SELECT revoked_at FROM invitations WHERE email = $1';
      expect(await app.database.value(row, [late])).toBeTruthy();
      const event = `SELECT count(*)::int FROM audit_events WHERE type = 'invitation.revoked' AND actor_id = $1`;
      expect(await app.database.value(event, [admin.id])).toBe(1);
    },
  );

  it('keeps the link that takes the account back valid, for when the owner is enabled again', async () => {
    const user = await loggedInAs(app, 'member');
    await app.browser().post('/auth/login', { email: user.email, password: PASSWORD });
    const token = await app.mailbox.token(user.email);

    for (const disabled of [true, false]) await change(admin, user, { disabled });

    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);
  });
});

describe('PATCH /users/:id', () => {
  it('changes nothing when nothing is given, not even for oneself', async () => {
    const user = await loggedInAs(app, 'readonly');
    const before = await app.database.rows('SELECT * FROM users ORDER BY id');

    expect(await change(admin, user, {})).toMatchObject({ status: 200, body: { user: { id: user.id } } });
    expect(await change(admin, admin, {})).toMatchObject({
      status: 200,
      body: { user: { role: 'sys_admin' } },
    });
    expect(await app.database.rows('SELECT * FROM users ORDER BY id')).toEqual(before);
  });

  it.each([
    ['the role member', { role: 'member' }],
    ['the role sys_admin', { role: 'sys_admin' }],
    ['a disabled account', { disabled: true }],
    ['an enabled account', { disabled: false }],
  ])('refuses an admin who gives themselves %s, however the id is written', async (_, body) => {
    await loggedInAs(app, 'sys_admin');

    for (const id of [admin.id, admin.id.toUpperCase()])
      expect(await change(admin, { id }, body)).toMatchObject({
        status: 403,
        body: { code: 'InsufficientRole' },
      });
    expect(await stored(admin)).toEqual({ role: 'sys_admin', disabled_at: null });
  });

  it.each([
    ['no change', {}],
    ['a new role', { role: 'member' }],
    ['the end', { disabled: true }],
  ])('answers a request for %s of an unknown account with NotFound', async (_, body) => {
    expect(await change(admin, { id: randomUUID() }, body)).toMatchObject({
      status: 404,
      body: { code: 'NotFound' },
    });
  });

  it.each([
    ['role', 'SYSTEM_ADMIN'],
    ['role', ''],
    ['role', null],
    ['role', 3],
    ['role', ['member']],
    ['disabled', 'true'],
    ['disabled', 'false'],
    ['disabled', 1],
    ['disabled', null],
    ['disabled', []],
    ['email', 'eve@example.com'],
    ['org_id', randomUUID()],
    ['disabled_at', null],
  ])('refuses the field %s with the value %j', async (field, value) => {
    const user = await loggedInAs(app, 'member');

    expect(await change(admin, user, { [field]: value })).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field }] },
    });
    expect(await stored(user)).toEqual({ role: 'member', disabled_at: null });
  });

  it('refuses an id that is no UUID', async () => {
    expect(await change(admin, { id: 'everybody' }, { disabled: true })).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed', errors: [{ field: 'id' }] },
    });
  });

  it('is for SYSTEM_ADMINs only, while /users/me is for every user', async () => {
    for (const role of ['readonly', 'member', 'org_admin'] as const) {
      const browser = await loggedInAs(app, role);
      expect(await change(browser, admin, { disabled: true })).toMatchObject({
        status: 403,
        body: { code: 'InsufficientRole' },
      });
      expect((await browser.patch('/users/me', { name: 'Ada' })).body.user.name).toBe('Ada');
    }
    expect((await change(app.browser(), admin, {})).status).toBe(401);
    expect(await stored(admin)).toEqual({ role: 'sys_admin', disabled_at: null });
  });
});
