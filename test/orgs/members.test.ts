import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { ACCOUNTS, giveRole, loggedInAs } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { Held, inLockStep } from '../support/lock-step.js';
import { foundOrg, invite, joinOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

describe('GET /orgs/:org_id/members', () => {
  it('lets each member page through the members', async () => {
    const { id, admin, member, readonly } = await foundOrg(app);

    const first = (await readonly.get(`/orgs/${id}/members?limit=2`)).body;
    const second = (await readonly.get(`/orgs/${id}/members?limit=2&cursor=${first.next_cursor}`)).body;

    const seen = [...first.data, ...second.data].map((user: { id: string }) => user.id);
    expect(seen).toEqual([readonly.id, member.id, admin.id]);
    expect(second.next_cursor).toBeNull();
  });

  it('lists the members whose address begins with ?email=, who have ?role=, or who are among ?ids=', async () => {
    const [{ id, admin, member, readonly }, others] = [await foundOrg(app), await foundOrg(app)];
    const listed = async (query: string) =>
      (await readonly.get(`/orgs/${id}/members?${query}`)).body.data.map((user: { id: string }) => user.id);

    expect(await listed(`email=${member.email.toUpperCase().slice(0, 10)}`)).toEqual([member.id]);
    expect(await listed('email=%25')).toEqual([]);
    expect(await listed('role=org_admin')).toEqual([admin.id]);
    expect(await listed('role=sys_admin')).toEqual([]);
    expect(await listed(`ids=${member.id},${others.member.id},${admin.id}`)).toEqual([member.id, admin.id]);
    expect(await listed(`ids=${member.id},${admin.id}&role=org_admin`)).toEqual([admin.id]);
    expect(await listed(`email=${others.member.email}`)).toEqual([]);
  });

  it('finds by ?search= the members of the own organization, and nobody else', async () => {
    const [{ id, admin, member }, others] = [await foundOrg(app), await foundOrg(app)];
    const rename = (userId: string, name: string) =>
      app.database.rows('UPDATE users SET name = $1 WHERE id = $2', [name, userId]);
    await rename(member.id, 'Ada Lovelace');
    await rename(others.member.id, 'Annabella Lovelace');
    const found = async (query: string) => {
      const { body } = await admin.get(`/orgs/${id}/members?${query}`);
      expect(body.total).toBe(body.data.length);
      return body.data.map((user: { id: string }) => user.id);
    };

    expect(await found('search=LOVELACE')).toEqual([member.id]);
    expect(await found(`search=${others.member.email}`)).toEqual([]);
    expect(await found(`search=${others.member.id}`)).toEqual([]);
    expect(await found(`search=${member.id}`)).toEqual([member.id]);
    expect((await found('search=example.com&sort=name')).at(-1)).not.toBe(member.id);
    expect(await admin.get(`/orgs/${others.id}/members?search=lovelace`)).toMatchObject({ status: 404 });
  });

  it.each([
    'email=%00',
    `search=${'a'.repeat(1000)}`,
    'sort=last_login_at',
    'sort=-last_login_at',
    'role=root',
    'ids=1',
    'org_id=1',
    'disabled=true',
  ])('refuses ?%s', async (query) => {
    const { id, admin } = await foundOrg(app);
    expect(await admin.get(`/orgs/${id}/members?${query}`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: query.split('=')[0] }] },
    });
  });
});

describe('PATCH /orgs/:org_id/members/:user_id', () => {
  it('changes a role, from the next request of the member on', async () => {
    const { id, admin, member } = await foundOrg(app);
    const members = `/orgs/${id}/members`;

    expect(await admin.patch(`${members}/${member.id}`, { role: 'org_admin' })).toMatchObject({
      status: 200,
      body: { user: { id: member.id, role: 'org_admin' } },
    });
    expect((await member.patch(`/orgs/${id}`, { name: 'Renamed' })).status).toBe(200);

    await admin.patch(`${members}/${member.id}`, { role: 'readonly' });
    expect((await member.patch(`/orgs/${id}`, { name: 'Again' })).body.code).toBe('InsufficientRole');
  });

  it('refuses to give a member the highest role, and to change the role of the caller or of a SYSTEM_ADMIN', async () => {
    const { id, admin, member } = await foundOrg(app);
    const patch = (userId: string, role: string) => admin.patch(`/orgs/${id}/members/${userId}`, { role });

    expect((await patch(member.id, 'sys_admin')).body.errors[0].field).toBe('role');
    expect((await patch(admin.id, 'member')).body).toMatchObject({
      code: 'InsufficientRole',
      detail: 'Another admin has to change your role.',
    });
    expect((await patch(admin.id.toUpperCase(), 'member')).body.code).toBe('InsufficientRole');
    await giveRole(app.database, member.id, 'sys_admin');
    expect((await patch(member.id, 'readonly')).body.code).toBe('InsufficientRole');
    expect((await admin.delete(`/orgs/${id}/members/${member.id}`)).body.code).toBe('InsufficientRole');
  });

  it('does not demote the last admin of the organization', async () => {
    const { id, admin } = await foundOrg(app);
    const root = await loggedInAs(app, 'sys_admin');

    expect(await root.patch(`/orgs/${id}/members/${admin.id}`, { role: 'member' })).toMatchObject({
      status: 409,
      body: { code: 'LastOrgAdmin' },
    });
    expect((await admin.get('/users/me')).body.user.role).toBe('org_admin');
  });
});

describe('DELETE /orgs/:org_id/members/:user_id', () => {
  it('removes the user from the organization, from their next request on', async () => {
    const { id, admin, member } = await foundOrg(app);

    expect((await admin.delete(`/orgs/${id}/members/${member.id}`)).status).toBe(204);

    expect((await member.get('/users/me')).body.user).toMatchObject({ org_id: null, role: 'member' });
    expect((await member.get(`/orgs/${id}`)).status).toBe(404);
    expect((await admin.delete(`/orgs/${id}/members/${member.id}`)).status).toBe(404);
  });

  it('lets a member leave, but not remove another member', async () => {
    const { id, member, readonly } = await foundOrg(app);

    expect((await readonly.delete(`/orgs/${id}/members/${member.id}`)).body.code).toBe('InsufficientRole');
    expect((await readonly.delete(`/orgs/${id}/members/${readonly.id}`)).status).toBe(204);
    expect((await readonly.get('/users/me')).body.user.org_id).toBeNull();
  });

  it.each(['organizations', 'users'])(
    'lets no member leave whose session ends at a lock of %s',
    async (table) => {
      const { id, member } = await foundOrg(app);

      const row = table === 'users' ? member.id : id;
      const held = await Held.by(app.database, `SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, [row]);
      const late = member.delete(`/orgs/${id}/members/${member.id}`);
      await held.untilWaiting(1);
      await held.run(`UPDATE sessions SET invalidated_at = now() WHERE user_id = '${member.id}'`);
      await held.release();

      expect((await late).body.code).toBe('Unauthenticated');
      expect(await app.database.value(`SELECT org_id FROM ${ACCOUNTS} WHERE id = $1`, [member.id])).toBe(id);
    },
  );

  it('lets a member leave an organization whose admins are all disabled', async () => {
    const { id, admin, member } = await foundOrg(app);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [admin.id]);

    expect((await member.delete(`/orgs/${id}/members/${member.id}`)).status).toBe(204);
  });

  it('does not let the last admin leave', async () => {
    const { id, admin } = await foundOrg(app);
    expect((await admin.delete(`/orgs/${id}/members/${admin.id}`)).body.code).toBe('LastOrgAdmin');
  });

  it.each([Role.ORG_ADMIN, Role.READONLY])(
    'lets a lone %s leave, and ends the organization',
    async (role) => {
      const [{ id, admin, member, readonly }, root] = [
        await foundOrg(app),
        await loggedInAs(app, 'sys_admin'),
      ];
      for (const other of [member, readonly]) await admin.delete(`/orgs/${id}/members/${other.id}`);
      await giveRole(app.database, admin.id, role);

      const events = await eventsAfter(app, async () => {
        expect((await admin.delete(`/orgs/${id}/members/${admin.id}`)).status).toBe(204);
      });

      expect((await admin.get('/users/me')).body.user).toMatchObject({ org_id: null, role: 'member' });
      expect((await root.get(`/orgs/${id}`)).status).toBe(404);
      const about = { actor_id: admin.id, org_id: id };
      expect(events).toMatchObject([
        { type: 'member.removed', ...about, user_id: admin.id },
        { type: 'org.deleted', ...about },
      ]);
    },
  );

  it('lets no other user remove the only member', async () => {
    const [{ id, admin, member, readonly }, root] = [await foundOrg(app), await loggedInAs(app, 'sys_admin')];
    for (const other of [member, readonly]) await admin.delete(`/orgs/${id}/members/${other.id}`);

    expect((await root.delete(`/orgs/${id}/members/${admin.id}`)).body.code).toBe('LastOrgAdmin');
    expect((await root.get(`/orgs/${id}`)).body.org.member_count).toBe(1);
  });

  it('obeys only the first of two admins who remove each other at once, also when there is a third', async () => {
    const { id, admin } = await foundOrg(app);
    const other = await joinOrg(app, { id }, Role.ORG_ADMIN);
    await joinOrg(app, { id }, Role.ORG_ADMIN);

    const holding = 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE';
    const answers = await inLockStep(app.database, { sql: holding, parameters: [id], waiting: 2 }, () => [
      admin.delete(`/orgs/${id}/members/${other.id}`),
      other.delete(`/orgs/${id}/members/${admin.id}`),
    ]);

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403]);
  });

  it('keeps one of two admins who leave, or demote each other, at once', async () => {
    const { id, admin } = await foundOrg(app);
    const other = await joinOrg(app, { id }, Role.ORG_ADMIN);

    const leaving = await Promise.all(
      [admin, other].map((self) => self.delete(`/orgs/${id}/members/${self.id}`)),
    );
    expect(leaving.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});

describe('a mail with the name of the organization', () => {
  const mails = async ({ email }: { email: string }, subject: string) =>
    (await app.mailbox.to(email)).filter((mail) => mail.subject === subject).map(({ text }) => text);

  it('tells a user who joined, with their role and a link that takes the account back', async () => {
    const { id, admin } = await foundOrg(app, 'Initech');
    const joining = await loggedInAs(app, 'member');
    const token = await invite(app, admin, id, joining.email, 'org_admin');

    expect((await joining.post('/invitations/accept', { token })).status).toBe(200);

    const [text] = await mails(joining, 'Your account joined an organization');
    expect(text).toContain('belongs to the organization “Initech”, as an administrator of the organization.');
    expect(text).toMatch(/secure-account\?token=/);
  });

  it('tells a user whose role falls, in an organization and as a SYSTEM_ADMIN, without a link', async () => {
    const [{ id, admin, member }, root] = [
      await foundOrg(app, 'Initech'),
      await loggedInAs(app, 'sys_admin'),
    ];
    await admin.patch(`/orgs/${id}/members/${member.id}`, { role: 'org_admin' });
    expect(await mails(member, 'Your role was lowered')).toEqual([]);
    await admin.patch(`/orgs/${id}/members/${member.id}`, { role: 'member' });
    await root.patch(`/users/${member.id}`, { role: 'readonly' });
    const second = await loggedInAs(app, 'sys_admin');
    await root.patch(`/users/${second.id}`, { role: 'member' });

    const texts = await mails(member, 'Your role was lowered');
    expect(texts.map((text) => text.split('\n')[0])).toEqual([
      'An administrator lowered your role in the organization “Initech” at Latchkey. You are now a member.',
      'An administrator lowered your role in the organization “Initech” at Latchkey. You are now a read-only member.',
    ]);
    expect((await mails(second, 'Your role was lowered'))[0]).toContain('lowered your role at Latchkey.');
    expect(texts.join()).not.toContain('http');
  });

  it('tells who was taken out, one by one or with the organization, and who left with a link', async () => {
    const [{ id, admin, member, readonly }, root] = [
      await foundOrg(app, 'Initech'),
      await loggedInAs(app, 'sys_admin'),
    ];
    const subject = 'You no longer belong to an organization';

    await admin.delete(`/orgs/${id}/members/${member.id}`);
    await readonly.delete(`/orgs/${id}/members/${readonly.id}`);
    expect((await root.delete(`/orgs/${id}`)).status).toBe(204);

    for (const removed of [member, admin])
      expect((await mails(removed, subject))[0]).toContain('from the organization “Initech”');
    expect(await mails(readonly, subject)).toEqual([]);
    const [left] = await mails(readonly, 'Your account left an organization');
    expect(left).toContain('left the organization “Initech”');
    expect(left).toMatch(/secure-account\?token=/);
  });
});
