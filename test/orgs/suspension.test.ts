import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { freshAddress, giveRole, loggedInAs, PASSWORD } from '../support/accounts.js';
import { detailsOf, eventsAfter } from '../support/audit.js';
import { appOwner } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, invite, joinOrg, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

// Users can belong to three organizations in `app`, and to one in `one`, on the same database.

let app: TestApp;
let one: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_ORGS_PER_USER: '3' });
  one = await TestApp.start({}, { database: app.database });
});
afterAll(async () => {
  await one.nest.close();
  await app.close();
});

type WithId = { id: string };

const change = (by: Browser, org: WithId, member: WithId, body: object) =>
  by.patch(`/orgs/${org.id}/members/${member.id}`, body);
const suspend = (by: Browser, org: WithId, member: WithId) => change(by, org, member, { suspended: true });
const resume = (by: Browser, org: WithId, member: WithId) => change(by, org, member, { suspended: false });

/** An organization that has suspended its member. */
async function suspending(name?: string): Promise<TestOrg> {
  const org = await foundOrg(app, name);
  const { status } = await suspend(org.admin, org, org.member);
  if (status !== 200) throw new Error(`suspending answered ${status}`);
  return org;
}

/** Lets a member of an organization join another one. */
async function joinToo(org: WithId, { id }: WithId, role: Role = Role.MEMBER): Promise<void> {
  await app.database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, $3, 'invitation')`,
    [id, org.id, role],
  );
}

const codeOf = ({ status, body }: { status: number; body: { code?: string } }) =>
  status < 300 ? status : body.code;

const naming = ({ id }: WithId) => ({ 'latchkey-org': id });

const age = ({ id }: WithId) =>
  app.database.rows(`UPDATE sessions SET authenticated_at = now() - interval '1 hour' WHERE user_id = $1`, [
    id,
  ]);

describe('a suspended member', () => {
  it('is refused in the organization from the next request on, at each replica, and the session goes on', async () => {
    const org = await foundOrg(app);
    const elsewhere = one.browser();
    for (const cookie of org.member.jar) elsewhere.jar.set(...cookie);
    expect((await elsewhere.get(`/orgs/${org.id}`)).status).toBe(200);

    await suspend(org.admin, org, org.member);

    for (const browser of [org.member, elsewhere]) {
      expect(await browser.get(`/orgs/${org.id}`)).toMatchObject({
        status: 403,
        body: { code: 'MembershipSuspended' },
      });
      expect(codeOf(await browser.get('/users/me', naming(org)))).toBe('MembershipSuspended');
      expect(codeOf(await browser.get(`/sessions/verify?org=${org.id}`))).toBe('MembershipSuspended');
      expect(codeOf(await browser.get('/sessions'))).toBe(200);
    }
  });

  it('who has no other organization is a person in none, also at another login', async () => {
    const org = await suspending();
    const organizations = [{ id: org.id, role: 'member', suspended: true }];

    const me = await org.member.get('/users/me');
    const login = await app.browser().post('/auth/login', { email: org.member.email, password: PASSWORD });

    expect(me.body).toMatchObject({ user: { org_id: null, role: 'member' }, organizations });
    expect(login.body).toMatchObject({ user: { org_id: null, role: 'member' }, organizations });
    expect((await org.member.get('/sessions/verify')).body.user).toMatchObject({ org_id: null });
  });

  it('of another organization need not name that one', async () => {
    const [org, other] = [await suspending(), await foundOrg(app)];
    await joinToo(other, org.member, Role.READONLY);

    expect((await org.member.get('/users/me')).body.user).toMatchObject({
      org_id: other.id,
      role: 'readonly',
    });
    expect((await org.member.get('/sessions/verify')).status).toBe(200);
    expect(codeOf(await org.member.get('/users/me', naming(org)))).toBe('MembershipSuspended');

    await resume(org.admin, org, org.member);
    expect(codeOf(await org.member.get('/sessions/verify'))).toBe('OrgRequired');
  });

  it('is told it alone: to others the organization is one that does not exist', async () => {
    const [org, other] = [await suspending(), await foundOrg(app)];
    const { member: stranger } = other;
    const shown = async (id: string) => ({
      ...(await stranger.get('/users/me', naming({ id }))).body,
      request_id: '',
    });

    expect(await shown(org.id)).toEqual(await shown(randomUUID()));
    expect(codeOf(await stranger.get(`/orgs/${org.id}`))).toBe('NotFound');
  });

  it.each([
    ['several organizations', () => app],
    ['one organization', () => one],
  ])('who is refused is recorded in it, where users can belong to %s', async (_, served) => {
    const org = await suspending();
    const browser = served().browser();
    for (const cookie of org.member.jar) browser.jar.set(...cookie);
    const details = { code: 'MembershipSuspended', route: 'GET /users/me' };

    const events = await eventsAfter(app, () => browser.get('/users/me', naming(org)));

    expect(events).toMatchObject([
      { type: 'access.refused', user_id: org.member.id, org_id: org.id, details },
    ]);
    expect((await org.admin.get('/audit-events?scope=org&type=access.refused')).body.data[0]).toMatchObject({
      details,
    });
  });

  it('comes back with the role, which may have changed meanwhile', async () => {
    const org = await suspending();
    await change(org.admin, org, org.member, { role: 'readonly' });
    expect(codeOf(await org.member.get(`/orgs/${org.id}`))).toBe('MembershipSuspended');

    const { body } = await resume(org.admin, org, org.member);

    expect(body.user).toMatchObject({ role: 'readonly', suspended: false });
    expect((await org.member.get('/users/me')).body.user).toMatchObject({ org_id: org.id, role: 'readonly' });
  });

  it('stays in the lists, marked', async () => {
    const [org, root] = [await suspending(), await loggedInAs(app, 'sys_admin')];

    const { data, total } = (await org.admin.get(`/orgs/${org.id}/members?sort=created_at`)).body;
    expect([total, data.map(({ suspended }: { suspended: boolean }) => suspended)]).toEqual([
      3,
      [false, true, false],
    ]);
    expect((await org.admin.get(`/orgs/${org.id}`)).body.org.member_count).toBe(3);
    expect((await root.get(`/users/${org.member.id}`)).body.user).toMatchObject({
      org_id: null,
      role: 'member',
      organizations: [{ id: org.id, role: 'member', suspended: true }],
    });
    const file = (await org.admin.get(`/orgs/${org.id}/members/export`)).text;
    expect(file.split('\r\n')[0]).toContain('"suspended"');
  });

  it('may leave, whatever the organization asks for', async () => {
    const org = await suspending();
    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
      org.id,
    ]);
    await age(org.member);

    expect(codeOf(await org.member.delete(`/orgs/${org.id}/members/${org.readonly.id}`))).toBe(
      'MembershipSuspended',
    );
    expect(codeOf(await org.member.delete(`/orgs/${org.id}/members/${org.member.id}`))).toBe(204);
    expect((await org.member.get('/users/me')).body.organizations).toEqual([]);
  });

  it('who is the only one left ends the organization by leaving, after a recent proof', async () => {
    const [org, root] = [await suspending(), await loggedInAs(app, 'sys_admin')];
    await app.database.rows('DELETE FROM memberships WHERE org_id = $1 AND user_id <> $2', [
      org.id,
      org.member.id,
    ]);
    const leave = () => org.member.delete(`/orgs/${org.id}/members/${org.member.id}`);

    await age(org.member);
    expect(codeOf(await leave())).toBe('StepUpRequired');
    await org.member.post('/auth/step-up', { password: PASSWORD });
    expect(codeOf(await leave())).toBe(204);
    expect(codeOf(await root.get(`/orgs/${org.id}`))).toBe('NotFound');
  });

  it('counts at the cap, and is a member to whom an invitation is another one', async () => {
    const [org, other] = [await suspending(), await foundOrg(app)];
    const elsewhere = one.browser();
    for (const cookie of org.member.jar) elsewhere.jar.set(...cookie);
    const token = await invite(app, other.admin, other.id, org.member.email);

    expect(codeOf(await elsewhere.post('/invitations/accept', { token }))).toBe('AlreadyInOrganization');
    const again = { email: org.member.email, role: 'member' };
    expect(codeOf(await org.admin.post(`/orgs/${org.id}/invitations`, again))).toBe('AlreadyMember');
  });

  it('keeps the last factor that the organization asks for, and needs none to log in', async () => {
    const [org, owner] = [await foundOrg(app), await appOwner(app)];
    await joinToo(org, owner);
    for (const each of [org.member, owner]) await suspend(org.admin, org, each);
    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
      org.id,
    ]);

    const { status } = await app.browser().post('/auth/login', {
      email: org.member.email,
      password: PASSWORD,
    });
    expect(status).toBe(200);
    expect(codeOf(await owner.browser.delete('/users/me/totp'))).toBe('LastSecondFactor');
  });
});

describe('PATCH /orgs/:org_id/members/:user_id', () => {
  it('takes a role, a suspension, or both, and refuses anything else', async () => {
    const org = await foundOrg(app);
    const fieldsOf = async (body: object) =>
      (await change(org.admin, org, org.member, body)).body.errors?.map(
        ({ field }: { field: string }) => field,
      );

    expect(await fieldsOf({})).toEqual(['role']);
    expect(await fieldsOf({ suspended: null })).toEqual(['suspended']);
    expect(await fieldsOf({ suspended: 'true' })).toEqual(['suspended']);
    expect(await fieldsOf({ role: 'sys_admin', suspended: true })).toEqual(['role']);
    expect((await org.member.get(`/orgs/${org.id}`)).status).toBe(200);

    const { body } = await change(org.admin, org, org.member, { role: 'readonly', suspended: true });
    expect(body.user).toMatchObject({ id: org.member.id, role: 'readonly', suspended: true });
  });

  it('is for admins of the organization and SYSTEM_ADMINs, and nobody suspends themselves', async () => {
    const [org, other] = [await foundOrg(app), await foundOrg(app)];
    const [root, insider] = [await loggedInAs(app, 'sys_admin'), await joinOrg(app, org, Role.ORG_ADMIN)];

    expect(codeOf(await suspend(org.readonly, org, org.member))).toBe('InsufficientRole');
    expect(codeOf(await suspend(other.admin, org, org.member))).toBe('NotFound');
    expect(codeOf(await suspend(org.admin, org, other.member))).toBe('NotFound');
    expect(codeOf(await suspend(org.admin, org, org.admin))).toBe('InsufficientRole');
    expect(codeOf(await suspend(root, org, org.member))).toBe(200);
    expect(codeOf(await resume(root, org, org.member))).toBe(200);

    await giveRole(app.database, insider.id, 'sys_admin');
    expect(codeOf(await suspend(org.admin, org, insider))).toBe('InsufficientRole');
    expect(codeOf(await suspend(root, org, insider))).toBe(200);
    expect((await insider.get(`/orgs/${org.id}`)).status).toBe(200);
  });

  it('asks for a recent proof where it suspends an admin, or lets one in again', async () => {
    const org = await foundOrg(app);
    const second = await joinOrg(app, org, Role.ORG_ADMIN);
    await age(org.admin);

    expect(codeOf(await suspend(org.admin, org, org.member))).toBe(200);
    expect(codeOf(await suspend(org.admin, org, second))).toBe('StepUpRequired');
    await org.admin.post('/auth/step-up', { password: PASSWORD });
    expect(codeOf(await suspend(org.admin, org, second))).toBe(200);
    await age(org.admin);
    expect(codeOf(await resume(org.admin, org, second))).toBe('StepUpRequired');
    expect(codeOf(await resume(org.admin, org, org.member))).toBe(200);
  });

  it('records and mails each suspension, and each end of one, once', async () => {
    const [org, other] = [await foundOrg(app, 'Initech'), await foundOrg(app)];
    await joinToo(other, org.member);
    const about = { actor_id: org.admin.id, user_id: org.member.id, org_id: org.id };

    const events = await eventsAfter(app, async () => {
      for (const act of [suspend, suspend, resume, resume]) await act(org.admin, org, org.member);
    });

    expect(events).toMatchObject([
      { type: 'member.suspended', ...about, details: { from: 'member' } },
      { type: 'member.resumed', ...about, details: { role: 'member' } },
    ]);
    const texts = (await app.mailbox.to(org.member.email)).map(({ subject, text }) => [
      subject,
      text.split('\n')[0],
    ]);
    expect(texts).toEqual([
      [
        'An organization suspended your membership',
        expect.stringContaining('suspended your Latchkey account in the organization “Initech”.'),
      ],
      [
        'Your membership is no longer suspended',
        expect.stringContaining(
          'ended the suspension of your Latchkey account in the organization “Initech”.',
        ),
      ],
    ]);
    for (const { email } of [org.admin, other.admin]) expect(await app.mailbox.to(email)).toEqual([]);
  });

  it('tells the other admins of one who is let in again', async () => {
    const org = await foundOrg(app, 'Initech');
    const second = await joinOrg(app, org, Role.ORG_ADMIN);
    await suspend(org.admin, org, second);
    expect(await app.mailbox.to(org.admin.email)).toEqual([]);

    await resume(org.admin, org, second);

    const { text } = await app.mailbox.last(org.admin.email);
    expect(text.replace(/[\u200b\u2060]/g, '')).toContain(
      `${second.email} is now an administrator of the organization “Initech”`,
    );
  });
});

describe('a suspended admin', () => {
  /** An organization with two admins, the second of whom is suspended. */
  async function withSuspendedAdmin(): Promise<TestOrg & { second: Member }> {
    const org = await foundOrg(app, 'Initech');
    const second = await joinOrg(app, org, Role.ORG_ADMIN);
    expect(codeOf(await suspend(org.admin, org, second))).toBe(200);
    return { ...org, second };
  }

  it('is no other admin: the last active one can neither be suspended, demoted nor removed, nor leave or end', async () => {
    const [org, root] = [await withSuspendedAdmin(), await loggedInAs(app, 'sys_admin')];
    const { admin } = org;

    expect(codeOf(await suspend(root, org, admin))).toBe('LastOrgAdmin');
    expect(codeOf(await change(root, org, admin, { role: 'member' }))).toBe('LastOrgAdmin');
    expect(codeOf(await root.delete(`/orgs/${org.id}/members/${admin.id}`))).toBe('LastOrgAdmin');
    expect(codeOf(await root.patch(`/users/${admin.id}`, { role: 'member' }))).toBe('LastOrgAdmin');
    expect(codeOf(await admin.delete(`/orgs/${org.id}/members/${admin.id}`))).toBe('LastOrgAdmin');
    expect(codeOf(await admin.send('DELETE', '/users/me', { current_password: PASSWORD }))).toBe(
      'LastOrgAdmin',
    );

    await resume(root, org, org.second);
    expect(codeOf(await suspend(root, org, admin))).toBe(200);
  });

  it.each([
    [
      'leave',
      ({ id, second }: { id: string; second: Member }) => second.delete(`/orgs/${id}/members/${second.id}`),
    ],
    [
      'delete the account',
      ({ second }: { second: Member }) => second.send('DELETE', '/users/me', { current_password: PASSWORD }),
    ],
  ])('may %s, also where all other admins are disabled', async (_, go) => {
    const org = await withSuspendedAdmin();
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [org.admin.id]);

    expect(codeOf(await go(org))).toBe(204);
  });

  it('may be demoted and removed, also where all other admins are disabled', async () => {
    const [org, root] = [await withSuspendedAdmin(), await loggedInAs(app, 'sys_admin')];
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [org.admin.id]);

    expect(codeOf(await change(root, org, org.second, { role: 'member' }))).toBe(200);
    expect(codeOf(await root.delete(`/orgs/${org.id}/members/${org.second.id}`))).toBe(204);
  });

  it('gets no mail about admins', async () => {
    const org = await withSuspendedAdmin();
    const before = (await app.mailbox.to(org.second.email)).length;

    await change(org.admin, org, org.member, { role: 'org_admin' });

    expect((await app.mailbox.to(org.member.email)).length).toBe(1);
    expect((await app.mailbox.to(org.second.email)).length).toBe(before);
  });

  it('has no open invitations of admins until let in again', async () => {
    const org = await foundOrg(app);
    const [second, root] = [await joinOrg(app, org, Role.ORG_ADMIN), await loggedInAs(app, 'sys_admin')];
    const token = await invite(app, second, org.id, freshAddress(), 'org_admin');
    const ofMember = await invite(app, second, org.id, freshAddress());
    const preview = async (shown: string) =>
      codeOf(await app.browser().post('/invitations/preview', { token: shown }));

    await suspend(root, org, second);
    expect([await preview(token), await preview(ofMember)]).toEqual(['InvalidToken', 200]);
    await resume(root, org, second);
    expect(await preview(token)).toBe(200);

    const ofRoot = await invite(app, root, org.id, freshAddress(), 'org_admin');
    await joinToo(org, root);
    await suspend(await loggedInAs(app, 'sys_admin'), org, root);
    expect(await preview(ofRoot)).toBe(200);
  });

  it('of no other organization gets the role there from nobody but that organization', async () => {
    const [org, root] = [await withSuspendedAdmin(), await loggedInAs(app, 'sys_admin')];

    expect(codeOf(await root.patch(`/users/${org.second.id}`, { role: 'org_admin' }))).toBe(
      'ValidationFailed',
    );
    expect(codeOf(await root.patch(`/users/${org.second.id}`, { role: 'member' }))).toBe(200);
    expect((await org.second.get('/users/me')).body.organizations).toMatchObject([{ role: 'org_admin' }]);
    expect(codeOf(await root.patch(`/users/${org.second.id}`, { role: 'readonly' }))).toBe(200);
    expect((await org.second.get('/users/me')).body.organizations).toMatchObject([{ role: 'readonly' }]);
    expect(await detailsOf(app, org.second.id, 'role.changed')).toEqual([
      { from: 'member', to: 'readonly' },
      { from: 'org_admin', to: 'readonly' },
    ]);
  });

  it('is in another organization what they were', async () => {
    const [org, other] = [await withSuspendedAdmin(), await foundOrg(app)];
    await joinToo(other, org.second, Role.ORG_ADMIN);

    expect(codeOf(await suspend(org.second, other, other.member))).toBe(200);
  });
});
