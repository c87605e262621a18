import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { ACCOUNTS, freshAddress, loggedIn, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import type { IdentityProvider } from '../support/identity-provider.js';
import { callbackAs, loginThrough, startWithProvider } from '../support/identity-provider.js';
import { Held } from '../support/lock-step.js';
import { asMember, foundOrg, invite, joinOrg } from '../support/orgs.js';
import type { TestApp } from '../support/test-app.js';

let app: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ app, provider, stop } = await startWithProvider());
});
afterAll(() => stop());

const holdOrg = (id: string) =>
  Held.by(app.database, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [id]);
const holdUser = (id: string) => Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);
const user = async (id: string) =>
  (await app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE id = $1`, [id]))[0];

describe('an invitation accepted through the provider', () => {
  it.each([
    ['sys_admin', 'member', 'readonly'],
    ['member', 'sys_admin', 'sys_admin'],
  ] as const)('leaves a role that went from %s to %s meanwhile at %s', async (before, meanwhile, after) => {
    const [root, invited, org] = [
      await loggedInAs(app, 'sys_admin'),
      await loggedInAs(app, before),
      await foundOrg(app),
    ];
    const who = { sub: invited.id, email: invited.email, email_verified: true };
    await loginThrough(provider, app.browser(), who);
    const token = await invite(app, org.admin, org.id, invited.email, 'readonly');
    const browser = app.browser();
    const callback = await callbackAs(provider, browser, who, `?invitation_token=${token}`);

    const held = await holdOrg(org.id);
    const landing = browser.get(callback);
    await held.untilWaiting(1);
    expect((await root.patch(`/users/${invited.id}`, { role: meanwhile })).status).toBe(200);
    await held.release();
    await landing;

    expect(await user(invited.id)).toMatchObject({ role: after, org_id: org.id });
  });

  it('is for the account of its address, not for one that had it before', async () => {
    const org = await foundOrg(app);
    const mover = await asMember(await loggedIn(app));
    const who = { sub: mover.id, email: mover.email, email_verified: true };
    await loginThrough(provider, app.browser(), who);
    const newEmail = freshAddress();
    await mover.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
    await mover.post('/users/me/email/confirm', { token: await app.mailbox.token(newEmail) });
    await verified(app, { email: mover.email });
    const token = await invite(app, org.admin, org.id, mover.email, 'org_admin');

    await loginThrough(provider, app.browser(), who, `?invitation_token=${token}`);

    expect((await user(mover.id)).org_id).toBeNull();
    expect((await app.browser().post('/invitations/preview', { token })).status).toBe(200);
  });
});

describe('accepting an invitation', () => {
  it('does not deadlock with a change of a member of the organization', async () => {
    const [root, invited, org] = [
      await loggedInAs(app, 'sys_admin'),
      await loggedInAs(app, 'sys_admin'),
      await foundOrg(app),
    ];
    const token = await invite(app, org.admin, org.id, invited.email);

    const held = await holdOrg(org.id);
    const change = root.patch(`/users/${org.member.id}`, { role: 'readonly' });
    await held.untilWaiting(1);
    const accept = invited.post('/invitations/accept', { token });
    await held.untilWaiting(2);
    await held.release();

    expect([(await change).status, (await accept).status]).toEqual([200, 200]);
  });

  it('fails for an account that is disabled meanwhile', async () => {
    const [root, org] = [await loggedInAs(app, 'sys_admin'), await foundOrg(app)];
    const invited = await asMember(await loggedIn(app));
    const token = await invite(app, org.admin, org.id, invited.email, 'org_admin');

    const held = await holdUser(invited.id);
    const disable = root.patch(`/users/${invited.id}`, { disabled: true });
    await held.untilWaiting(1);
    const accept = invited.post('/invitations/accept', { token });
    await held.untilWaiting(2);
    await held.release();

    expect([(await disable).status, (await accept).status]).toEqual([200, 401]);
    expect((await user(invited.id)).org_id).toBeNull();
  });
});

describe('an admin who is removed', () => {
  it('neither invites nor renames with a request that was under way', async () => {
    const org = await foundOrg(app);
    const removed = await joinOrg(app, org, Role.ORG_ADMIN);
    const alias = freshAddress();

    const held = await holdOrg(org.id);
    const removal = org.admin.delete(`/orgs/${org.id}/members/${removed.id}`);
    await held.untilWaiting(1);
    const late = [
      removed.post(`/orgs/${org.id}/invitations`, { email: alias, role: 'org_admin' }),
      removed.patch(`/orgs/${org.id}`, { name: 'Mine' }),
    ];
    await held.untilWaiting(3);
    await held.release();

    expect((await removal).status).toBe(204);
    for (const answer of await Promise.all(late)) expect(answer.body.code).toBe('InsufficientRole');
    expect(await app.mailbox.to(alias)).toEqual([]);
  });
});

describe('a SYSTEM_ADMIN who invites', () => {
  it('sends no invitation when the role goes while it waits for their row', async () => {
    const [org, root] = [await foundOrg(app), await loggedInAs(app, 'sys_admin')];
    const email = freshAddress();

    const held = await holdUser(root.id);
    const invited = root.post(`/orgs/${org.id}/invitations`, { email, role: 'member' });
    await held.untilWaiting(1);
    await held.run(`UPDATE users SET own_role = 'member' WHERE id = '${root.id}'`);
    await held.release();

    expect((await invited).body.code).toBe('InsufficientRole');
    expect(await app.database.rows('SELECT 1 FROM invitations WHERE email = $1', [email])).toEqual([]);
  });
});

describe('an admin with a request under way', () => {
  it.each([
    ['is disabled', 'UPDATE users SET disabled_at = now() WHERE id = $1'],
    ['loses the role', `UPDATE memberships SET role = 'member' WHERE user_id = $1`],
    ['leaves the organization', 'DELETE FROM memberships WHERE user_id = $1'],
    ['moves to another organization', 'UPDATE memberships SET org_id = $2 WHERE user_id = $1'],
  ])('changes nothing more of an organization when they are one who %s', async (_, change) => {
    const [org, other] = [await foundOrg(app), await foundOrg(app)];
    const admin = await joinOrg(app, org, Role.ORG_ADMIN);
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email);
    const [open] = (await org.admin.get(`/orgs/${org.id}/invitations?status=pending`)).body.data;
    const url = `/orgs/${org.id}`;

    const held = await holdOrg(org.id);
    const late = [
      admin.delete(`${url}/invitations/${open.id}`),
      admin.post(`${url}/invitations/${open.id}/resend`),
      admin.post(`${url}/invitations`, { email: freshAddress(), role: 'org_admin' }),
      admin.patch(url, { name: 'Mine' }),
      admin.patch(`${url}/members/${org.member.id}`, { role: 'org_admin' }),
      admin.delete(`${url}/members/${org.member.id}`),
    ];
    await held.untilWaiting(late.length);
    const parameters = change.includes('$2') ? [admin.id, other.id] : [admin.id];
    await app.database.rows(change, parameters);
    await held.release();

    for (const answer of await Promise.all(late))
      expect(answer).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    expect((await app.browser().post('/invitations/preview', { token })).body).toMatchObject({
      org_name: 'Analytical',
      email,
    });
    expect(await user(org.member.id)).toMatchObject({ role: 'member', org_id: org.id });
  });
});

describe('a member who is made a SYSTEM_ADMIN at that moment', () => {
  it.each([
    ['PATCH', { role: 'readonly' }],
    ['DELETE', undefined],
  ] as const)('is left alone by the admin of the organization: %s', async (method, body) => {
    const { id, admin, member } = await foundOrg(app);

    const held = await Held.by(app.database, `UPDATE users SET own_role = 'sys_admin' WHERE id = $1`, [
      member.id,
    ]);
    const change = admin.send(method, `/orgs/${id}/members/${member.id}`, body);
    await held.untilWaiting(1);
    await held.release();

    expect((await change).body?.code).toBe('InsufficientRole');
    expect(await user(member.id)).toMatchObject({ role: 'sys_admin', org_id: id });
  });
});

describe('PATCH /users/:id', () => {
  it('keeps an admin for an organization that the user joins while it waits', async () => {
    const [root, org] = [await loggedInAs(app, 'sys_admin'), await foundOrg(app)];
    const joining = await asMember(await loggedIn(app));
    const token = await invite(app, org.admin, org.id, joining.email, 'org_admin');

    const first = await holdUser(root.id);
    const lower = root.patch(`/users/${joining.id}`, { role: 'readonly' });
    await first.untilWaiting(1);
    expect((await joining.post('/invitations/accept', { token })).status).toBe(200);
    const second = await holdUser(org.admin.id);
    const leave = org.admin.delete(`/orgs/${org.id}/members/${org.admin.id}`);
    await second.untilWaiting(2);
    await first.release();
    await second.release();

    expect([(await lower).status, (await leave).status].sort()).not.toEqual([200, 204]);
    const admins = `SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND m.role = 'org_admin' AND u.disabled_at IS NULL`;
    expect((await app.database.rows(admins, [org.id])).length).toBeGreaterThan(0);
  });
});

describe('an organization', () => {
  it('keeps one of two admins who remove each other at once, in each of ten rounds', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, admin } = await foundOrg(app);
      const other = await joinOrg(app, { id }, Role.ORG_ADMIN);

      const answers = await Promise.all([
        admin.delete(`/orgs/${id}/members/${other.id}`),
        other.delete(`/orgs/${id}/members/${admin.id}`),
      ]);

      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect(answers.every(({ status }) => status < 500)).toBe(true);
      const admins = await app.database.rows(
        `SELECT 1 FROM memberships WHERE org_id = $1 AND role = 'org_admin'`,
        [id],
      );
      expect(admins).toHaveLength(1);
    }
  });
});
