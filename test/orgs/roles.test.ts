import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import type { PermissionDeclarations } from '../../src/access/permissions.js';
import { Role } from '../../src/http/role.js';
import { MinRole, Requires } from '../../src/http/route.js';
import { freshAddress, loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { asMember, foundOrg, invite, joinOrg, type Member, type TestOrg } from '../support/orgs.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';

const DECLARED = {
  'notes.read': { title: 'Read notes', from: Role.READONLY },
  'notes.write': { title: 'Write notes', from: Role.MEMBER },
  'notes.purge': { title: 'Delete all notes', from: Role.ORG_ADMIN },
  'notes.move-all': { title: 'Move notes between organizations', from: 'operator' },
} satisfies PermissionDeclarations;

@Controller('notes')
class NotesController {
  @Get('read')
  @Requires('notes.read')
  read() {
    return {};
  }

  @Get('purge')
  @Requires('notes.purge')
  purge() {
    return {};
  }

  @Get('all')
  @Requires('notes.move-all')
  all() {
    return {};
  }

  @Get('members')
  @MinRole(Role.MEMBER)
  members() {
    return {};
  }

  @Get('admins')
  @MinRole(Role.ORG_ADMIN)
  admins() {
    return {};
  }

  @Get('plain')
  plain() {
    return {};
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

const product = { modules: [NotesModule], permissions: DECLARED };

let app: TestApp;
let root: Browser;
beforeAll(async () => {
  app = await TestApp.start({ SVC_ORGS_PER_USER: '3' }, { product });
  root = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());

/** Lets an admin compose a role, and returns it. */
async function made({ id, admin }: TestOrg, body: object = {}) {
  const role = { name: 'Archivist', base: 'member', permissions: ['notes.purge'], ...body };
  const answer = await admin.post(`/orgs/${id}/roles`, role);
  if (answer.status !== 201) throw new Error(`the role answered ${answer.status}`);
  return answer.body.role as { id: string };
}

const give = ({ id, admin }: TestOrg, user: Member, body: object) =>
  admin.patch(`/orgs/${id}/members/${user.id}`, body);

const rows = (sql: string, values: unknown[]) => app.database.rows(sql, values);

const detailsOf = async (type: string, orgId: string) =>
  (
    await rows('SELECT details FROM audit_events WHERE type = $1 AND org_id = $2 ORDER BY id', [type, orgId])
  ).map(({ details }) => details);

const statuses = (browser: Browser, ...paths: string[]) =>
  Promise.all(paths.map(async (path) => (await browser.get(path)).status));

describe('POST /orgs/:org_id/roles', () => {
  it('composes a role, which stands in the list beside the built-in ones', async () => {
    const org = await foundOrg(app);
    const { body } = await org.admin.post(`/orgs/${org.id}/roles`, {
      name: ' Archivist ',
      base: 'readonly',
      permissions: ['notes.purge', 'notes.read'],
    });
    expect(body.role).toEqual({
      id: expect.any(String),
      name: 'Archivist',
      base: 'readonly',
      permissions: ['latchkey.members.read', 'latchkey.billing.read', 'notes.read', 'notes.purge'],
      unknown_permissions: [],
      member_count: 0,
      created_at: expect.any(String),
      changed_at: expect.any(String),
    });
    const listed = (await org.readonly.get(`/orgs/${org.id}/roles`)).body.data;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual([
      'readonly',
      'member',
      'org_admin',
      'Archivist',
    ]);
    expect(listed[1]).toEqual({
      id: null,
      name: 'member',
      base: 'member',
      permissions: ['latchkey.members.read', 'latchkey.billing.read', 'notes.read', 'notes.write'],
      unknown_permissions: [],
      member_count: 1,
      created_at: null,
      changed_at: null,
    });
    expect(listed[3]).toEqual(body.role);
    expect(await detailsOf('custom_role.made', org.id)).toEqual([
      { role_id: body.role.id, name: 'Archivist', base: 'readonly', permissions: 'notes.purge notes.read' },
    ]);
  });

  it.each<[string, object, string, string]>([
    ['an undeclared permission', { permissions: ['notes.raed'] }, 'permissions', 'not_for_roles'],
    ['a permission twice', { permissions: ['notes.read', 'notes.read'] }, 'permissions', 'not_for_roles'],
    ['one of the service', { permissions: ['latchkey.members.manage'] }, 'permissions', 'not_for_roles'],
    ['one of operators', { permissions: ['notes.move-all'] }, 'permissions', 'not_for_roles'],
    ['one from a prototype', { permissions: ['__proto__.a'] }, 'permissions', 'not_for_roles'],
    ['no list', { permissions: 'notes.read' }, 'permissions', 'not_for_roles'],
    [
      '191 permissions',
      { permissions: Array.from({ length: 191 }, (_, n) => `notes.n${n}`) },
      'permissions',
      'not_for_roles',
    ],
    ['an admin for its base', { base: 'org_admin' }, 'base', 'not_one_of'],
    ['a SYSTEM_ADMIN for its base', { base: 'sys_admin' }, 'base', 'not_one_of'],
    ['no name', { name: ' ' }, 'name', 'not_a_name'],
    ['a name of two lines', { name: 'a\nb' }, 'name', 'not_a_name'],
    ['a field of another name', { org_id: 'other' }, 'org_id', 'unknown_field'],
  ])('takes no role that has %s', async (_, body, field, code) => {
    const org = await foundOrg(app);
    for (const browser of [org.admin, root]) {
      const role = { name: 'Archivist', base: 'member', permissions: [], ...body };
      const answer = await browser.post(`/orgs/${org.id}/roles`, role);
      expect([
        answer.status,
        answer.body.errors?.[0]?.field,
        answer.body.errors?.[0]?.reasons[0].code,
      ]).toEqual([400, field, code]);
    }
    expect(await rows('SELECT 1 FROM org_roles WHERE org_id = $1', [org.id])).toEqual([]);
  });

  it('gives a name once in an organization, in upper or lower case, and none of a built-in role', async () => {
    const [org, other] = [await foundOrg(app), await foundOrg(app)];
    await made(org, { name: 'Editor' });
    await made(other, { name: 'Editor' });
    for (const name of ['editor', 'Member', 'org_admin']) {
      const answer = await org.admin.post(`/orgs/${org.id}/roles`, { name, base: 'member', permissions: [] });
      expect([answer.status, answer.body.code]).toEqual([409, 'RoleNameTaken']);
    }
  });

  it('makes 20 of an organization at most', async () => {
    const org = await foundOrg(app);
    for (let n = 0; n < 20; n += 1) await made(org, { name: `Role ${n}` });
    const answer = await org.admin.post(`/orgs/${org.id}/roles`, {
      name: 'One too many',
      base: 'member',
      permissions: [],
    });
    expect([answer.status, answer.body.code]).toEqual([409, 'TooManyRoles']);
  });
});

describe('who manages roles', () => {
  it('is an ORG_ADMIN or a SYSTEM_ADMIN, and nobody by a custom role', async () => {
    const org = await foundOrg(app);
    const role = await made(org, { permissions: ['notes.read', 'notes.write', 'notes.purge'] });
    await give(org, org.member, { role_id: role.id });
    const body = { name: 'Other', base: 'member', permissions: [] };
    for (const browser of [org.member, org.readonly])
      expect([
        (await browser.post(`/orgs/${org.id}/roles`, body)).body.code,
        (await browser.patch(`/orgs/${org.id}/roles/${role.id}`, { permissions: [] })).body.code,
        (await browser.delete(`/orgs/${org.id}/roles/${role.id}`)).body.code,
        (await browser.patch(`/orgs/${org.id}/members/${org.readonly.id}`, { role_id: role.id })).body.code,
        (await browser.post(`/orgs/${org.id}/invitations`, { email: freshAddress(), role_id: role.id })).body
          .code,
        (await browser.get('/notes/admins')).body.code,
      ]).toEqual(Array(6).fill('InsufficientRole'));
    expect((await root.post(`/orgs/${org.id}/roles`, body)).status).toBe(201);
  });

  it('proved lately who they are', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    await rows(`UPDATE sessions SET authenticated_at = now() - interval '1 hour' WHERE user_id = $1`, [
      org.admin.id,
    ]);
    const body = { name: 'Other', base: 'member', permissions: [] };
    expect([
      (await org.admin.post(`/orgs/${org.id}/roles`, body)).body.code,
      (await org.admin.patch(`/orgs/${org.id}/roles/${role.id}`, { permissions: [] })).body.code,
      (await org.admin.delete(`/orgs/${org.id}/roles/${role.id}`)).body.code,
    ]).toEqual(Array(3).fill('StepUpRequired'));
  });

  it('finds no role of another organization, in paths and in bodies', async () => {
    const [org, other] = [await foundOrg(app), await foundOrg(app)];
    const theirs = await made(other);
    const before = await rows('SELECT * FROM org_roles WHERE id = $1', [theirs.id]);
    const invitation = { email: freshAddress(), role_id: theirs.id };
    for (const browser of [org.admin, root])
      expect([
        (await browser.patch(`/orgs/${org.id}/roles/${theirs.id}`, { permissions: [] })).status,
        (await browser.delete(`/orgs/${org.id}/roles/${theirs.id}`)).status,
        (await browser.patch(`/orgs/${org.id}/members/${org.member.id}`, { role_id: theirs.id })).status,
        (await browser.post(`/orgs/${org.id}/invitations`, invitation)).status,
        (
          await browser.post(`/orgs/${org.id}/invitations/many`, {
            emails: [freshAddress()],
            role_id: theirs.id,
          })
        ).status,
      ]).toEqual(Array(5).fill(404));
    expect((await org.admin.get(`/orgs/${other.id}/roles`)).status).toBe(404);
    expect((await root.get(`/orgs/${theirs.id}/roles`)).status).toBe(404);
    expect(await rows('SELECT * FROM org_roles WHERE id = $1', [theirs.id])).toEqual(before);
    expect(await rows('SELECT 1 FROM memberships WHERE role_id = $1', [theirs.id])).toEqual([]);
  });
});

describe('a member with a custom role', () => {
  let org: TestOrg;
  let role: { id: string };
  beforeAll(async () => {
    org = await foundOrg(app);
    role = await made(org, { base: 'readonly' });
    await give(org, org.member, { role_id: role.id });
  });

  it('may do what is in its list, whatever its base, and nothing by its base', async () => {
    expect(await statuses(org.member, '/notes/purge', '/notes/read', '/notes/all')).toEqual([200, 403, 403]);
    expect((await org.member.get('/notes/read')).body).toMatchObject({
      code: 'InsufficientPermission',
      permission: 'notes.read',
    });
  });

  it('stands at its base in the order of the roles, whatever is in its list', async () => {
    expect(await statuses(org.member, '/notes/plain', '/notes/members', '/notes/admins')).toEqual([
      200, 403, 403,
    ]);
    // The service's own routes go by the base.
    expect(await statuses(org.member, `/orgs/${org.id}/members`, `/orgs/${org.id}/policy`)).toEqual([
      200, 403,
    ]);
  });

  it('is judged by it in the rule of a proxy too', async () => {
    const verify = async (query: string) => (await org.member.get(`/sessions/verify${query}`)).status;
    expect(await verify('?permission=notes.purge')).toBe(200);
    expect(await verify('?permission=notes.purge&min_role=readonly')).toBe(200);
    expect(await verify('?permission=notes.read')).toBe(403);
    expect(await verify('?permission=notes.purge&min_role=member')).toBe(403);
    const { body } = await org.member.get('/sessions/verify?access=true');
    expect(body.access).toEqual((await org.member.get('/access')).body.access);
  });

  it('is told so by GET /access, in one statement', async () => {
    let access: unknown;
    const statements = await statementsDuring(async () => {
      access = (await org.member.get('/access')).body.access;
    });
    expect(access).toEqual({
      principal: 'user',
      org_id: org.id,
      role: 'readonly',
      custom_role: { id: role.id, name: 'Archivist' },
      permissions: ['latchkey.members.read', 'latchkey.billing.read', 'notes.purge'],
      subscribed: false,
    });
    expect(statements).toHaveLength(1);
    expect(statements[0]).toContain('org_roles');
    expect(await statementsDuring(() => org.member.get('/notes/purge'))).toHaveLength(1);
    expect((await statementsDuring(() => org.member.get('/notes/plain'))).join()).not.toContain('org_roles');
  });

  it('is judged by that of the organization which the request names', async () => {
    const other = await foundOrg(app);
    await rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [org.member.id, other.id],
    );
    const status = async (path: string, orgId: string) =>
      (await org.member.get(path, { 'latchkey-org': orgId })).status;
    expect([await status('/notes/purge', org.id), await status('/notes/purge', other.id)]).toEqual([
      200, 403,
    ]);
    expect([await status('/notes/read', org.id), await status('/notes/read', other.id)]).toEqual([403, 200]);
    await rows('DELETE FROM memberships WHERE user_id = $1 AND org_id = $2', [org.member.id, other.id]);
  });

  it('follows a change of it with the next request', async () => {
    expect(await statuses(org.member, '/notes/purge', '/notes/read')).toEqual([200, 403]);
    const { status, body } = await org.admin.patch(`/orgs/${org.id}/roles/${role.id}`, {
      permissions: ['notes.read'],
    });
    expect([status, body.role.member_count]).toEqual([200, 1]);
    expect(await statuses(org.member, '/notes/purge', '/notes/read')).toEqual([403, 200]);
    expect(await detailsOf('custom_role.changed', org.id)).toEqual([
      { role_id: role.id, permissions: 'notes.read', former_permissions: 'notes.purge' },
    ]);
  });

  it('does not lose it when it gets another name, which members see', async () => {
    const change = await org.admin.patch(`/orgs/${org.id}/roles/${role.id}`, { name: 'Librarian' });
    expect(change.body.role).toMatchObject({ name: 'Librarian', base: 'readonly' });
    const { data } = (await org.admin.get(`/orgs/${org.id}/members`)).body;
    expect(data.map(({ role, custom_role }: Record<string, unknown>) => [role, custom_role])).toEqual(
      expect.arrayContaining([
        ['org_admin', null],
        ['readonly', { id: role.id, name: 'Librarian' }],
        ['readonly', null],
      ]),
    );
  });

  it('has it by name in the file of members', async () => {
    const { text } = await org.admin.get(`/orgs/${org.id}/members/export`);
    const [head = '', ...lines] = text.trim().split('\r\n');
    const column = head.split(',').findIndex((name) => name.includes('custom_role'));
    expect(lines.map((line) => line.split(',')[column]).sort()).toEqual(['""', '""', '"Librarian"']);
  });

  it('keeps the base, which no change takes', async () => {
    const answer = await org.admin.patch(`/orgs/${org.id}/roles/${role.id}`, { base: 'member' });
    expect(answer.status).toBe(400);
    expect((await org.admin.patch(`/orgs/${org.id}/roles/${role.id}`, {})).status).toBe(400);
  });
});

describe('giving a role', () => {
  it('puts it in place of the former one, and says which', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    const { status, body } = await give(org, org.readonly, { role_id: role.id.toUpperCase() });
    expect([status, body.user.role, body.user.custom_role]).toEqual([
      200,
      'member',
      { id: role.id, name: 'Archivist' },
    ]);
    const back = await give(org, org.readonly, { role: 'member' });
    expect([back.body.user.role, back.body.user.custom_role]).toEqual(['member', null]);
    expect(await detailsOf('role.changed', org.id)).toEqual([
      { from: 'readonly', to: 'member', role_id: role.id },
      { from: 'member', to: 'member', former_role_id: role.id },
    ]);
  });

  it.each([
    ['both', { role: 'member', role_id: 'its' }, 400],
    ['none', {}, 400],
    ['no id', { role_id: 'member' }, 400],
    ['null', { role_id: null }, 400],
    ['an unknown id', { role_id: '019aa4f2-3c1e-7d55-b1b0-0f3f6c2d9a11' }, 404],
  ])('takes one of the two, never %s', async (_, body: Record<string, unknown>, status) => {
    const org = await foundOrg(app);
    const role = await made(org);
    const sent = body.role_id === 'its' ? { ...body, role_id: role.id } : body;
    const email = freshAddress();
    expect((await give(org, org.member, sent)).status).toBe(status);
    expect((await org.admin.post(`/orgs/${org.id}/invitations`, { email, ...sent })).status).toBe(status);
    const many = await org.admin.post(`/orgs/${org.id}/invitations/many`, { emails: [email], ...sent });
    expect(many.status === 200 ? many.body.data[0].problem.code : many.status).not.toBe(200);
    expect(await rows('SELECT 1 FROM invitations WHERE org_id = $1', [org.id])).toEqual([]);
    expect(await detailsOf('role.changed', org.id)).toEqual([]);
  });

  it('leaves an organization no admin less than one', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    const second = await joinOrg(app, org, Role.ORG_ADMIN);
    expect((await give(org, second, { role_id: role.id })).status).toBe(200);
    const last = await root.patch(`/orgs/${org.id}/members/${org.admin.id}`, { role_id: role.id });
    expect([last.status, last.body.code]).toEqual([409, 'LastOrgAdmin']);
    expect((await give(org, org.admin, { role_id: role.id })).body.code).toBe('InsufficientRole');
  });

  it('asks for a recent proof where it takes the role of an admin, as a built-in one does', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    const second = await joinOrg(app, org, Role.ORG_ADMIN);
    await rows(`UPDATE sessions SET authenticated_at = now() - interval '1 hour' WHERE user_id = $1`, [
      org.admin.id,
    ]);
    expect((await give(org, second, { role_id: role.id })).body.code).toBe('StepUpRequired');
    expect((await give(org, org.member, { role_id: role.id })).status).toBe(200);
  });

  it('does not lift the READONLY that a SYSTEM_ADMIN gave, whatever its base', async () => {
    const org = await foundOrg(app);
    const role = await made(org, { base: 'readonly' });
    await give(org, org.member, { role_id: role.id });
    expect((await root.patch(`/users/${org.member.id}`, { role: 'readonly' })).status).toBe(200);
    expect((await org.member.get('/notes/purge')).status).toBe(403);
    expect((await org.member.get('/access')).body.access.custom_role).toBeNull();
    expect((await give(org, org.member, { role_id: role.id })).body.code).toBe('InsufficientRole');
    expect(await detailsOf('role.changed', org.id)).toContainEqual({
      from: 'readonly',
      to: 'readonly',
      former_role_id: role.id,
    });
  });

  it('is undone by any role that a SYSTEM_ADMIN gives to the user', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    await give(org, org.member, { role_id: role.id });
    expect((await root.patch(`/users/${org.member.id}`, { role: 'member' })).status).toBe(200);
    expect(await statuses(org.member, '/notes/purge', '/notes/read')).toEqual([403, 200]);
    await give(org, org.member, { role_id: role.id });
    expect((await root.patch(`/users/${org.member.id}`, { role: 'org_admin' })).status).toBe(200);
    expect(await statuses(org.member, '/notes/purge', '/notes/read')).toEqual([200, 200]);
  });

  it('does not narrow a SYSTEM_ADMIN', async () => {
    const org = await foundOrg(app);
    const role = await made(org, { permissions: [] });
    const insider = await asMember(await loggedInAs(app, 'sys_admin'));
    await rows(
      `INSERT INTO memberships (user_id, org_id, role, role_id, joined_by) VALUES ($1, $2, 'member', $3, 'invitation')`,
      [insider.id, org.id, role.id],
    );
    expect(await statuses(insider, '/notes/purge', '/notes/all', '/notes/admins')).toEqual([200, 200, 200]);
    expect((await insider.get('/access')).body.access.custom_role).toBeNull();
  });
});

describe('an invitation with a custom role', () => {
  const accept = async (token: string) => {
    const email = (await app.browser().post('/invitations/preview', { token })).body.email;
    await app.browser().post('/invitations/accept', { token, password: PASSWORD });
    return asMember(await loggedIn(app, email));
  };
  const sent = async (org: TestOrg, email: string, roleId: string) => {
    const answer = await org.admin.post(`/orgs/${org.id}/invitations`, { email, role_id: roleId });
    if (answer.status !== 201) throw new Error(`the invitation answered ${answer.status}`);
    return answer.body.invitation;
  };

  it('makes a member with it, and with what it holds by then', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    const email = freshAddress();
    expect(await sent(org, email, role.id)).toMatchObject({
      role: 'member',
      custom_role: { id: role.id, name: 'Archivist' },
    });
    await org.admin.patch(`/orgs/${org.id}/roles/${role.id}`, { permissions: ['notes.read'] });
    const joined = await accept(await app.mailbox.token(email));
    expect(await statuses(joined, '/notes/purge', '/notes/read')).toEqual([403, 200]);
    expect(await detailsOf('member.joined', org.id)).toContainEqual({
      role: 'member',
      joined_by: 'invitation',
      role_id: role.id,
    });
    const [listed] = (await org.admin.get(`/orgs/${org.id}/invitations`)).body.data;
    expect(listed.custom_role.id).toBe(role.id);
  });

  it('goes to many, and again, with the same role; a later one replaces it', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    const [first, second] = [freshAddress(), freshAddress()];
    const many = await org.admin.post(`/orgs/${org.id}/invitations/many`, {
      emails: [first, second],
      role_id: role.id,
    });
    const [one, two] = many.body.data.map(({ invitation }: { invitation: { id: string } }) => invitation);
    expect([one.custom_role.id, two.custom_role.id]).toEqual([role.id, role.id]);

    await rows(`UPDATE invitations SET created_at = now() - interval '2 minutes' WHERE org_id = $1`, [
      org.id,
    ]);
    expect((await org.admin.post(`/orgs/${org.id}/invitations/${one.id}/resend`)).status).toBe(202);
    const replaced = await org.admin.post(`/orgs/${org.id}/invitations`, { email: second, role: 'readonly' });
    expect(replaced.body.invitation).toMatchObject({ id: two.id, role: 'readonly', custom_role: null });
    // Within a minute it is the same mail.
    const again = await sent(org, second, role.id);
    expect([again.id, again.custom_role.id]).toEqual([two.id, role.id]);
    expect(await rows('SELECT role, role_id FROM invitations WHERE id = $1', [one.id])).toEqual([
      { role: 'member', role_id: role.id },
    ]);
  });

  it('makes a user READONLY whom a SYSTEM_ADMIN made that', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    const invited = await asMember(await loggedInAs(app, 'readonly'));
    await sent(org, invited.email, role.id);
    await invited.post('/invitations/accept', { token: await app.mailbox.token(invited.email) });
    expect(await rows('SELECT role, role_id FROM memberships WHERE user_id = $1', [invited.id])).toEqual([
      { role: 'readonly', role_id: null },
    ]);
  });
});

describe('DELETE /orgs/:org_id/roles/:id', () => {
  const remove = ({ id, admin }: TestOrg, role: { id: string }) =>
    admin.delete(`/orgs/${id}/roles/${role.id}`);

  it('removes a role that nothing has, and invitations that are over forget it', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    const email = freshAddress();
    const { body } = await org.admin.post(`/orgs/${org.id}/invitations`, { email, role_id: role.id });
    await give(org, org.member, { role_id: role.id });

    const used = await remove(org, role);
    expect(used.body).toMatchObject({ code: 'RoleInUse', members: 1, invitations: 1 });
    await give(org, org.member, { role: 'member' });
    await rows(`UPDATE invitations SET expires_at = now() - interval '1 day' WHERE org_id = $1`, [org.id]);
    // It can be sent again.
    expect((await remove(org, role)).body).toMatchObject({ code: 'RoleInUse', members: 0, invitations: 1 });
    await org.admin.delete(`/orgs/${org.id}/invitations/${body.invitation.id}`);
    expect((await remove(org, role)).status).toBe(204);

    expect((await remove(org, role)).status).toBe(404);
    expect((await give(org, org.member, { role_id: role.id })).status).toBe(404);
    const [listed] = (await org.admin.get(`/orgs/${org.id}/invitations`)).body.data;
    expect([listed.role, listed.custom_role]).toEqual(['member', null]);
    expect(await detailsOf('custom_role.removed', org.id)).toEqual([{ role_id: role.id, name: 'Archivist' }]);
  });

  it('goes with its organization, whatever has it', async () => {
    const org = await foundOrg(app);
    const role = await made(org);
    await give(org, org.member, { role_id: role.id });
    await org.admin.post(`/orgs/${org.id}/invitations`, { email: freshAddress(), role_id: role.id });
    expect((await root.delete(`/orgs/${org.id}`)).status).toBe(204);
    expect(await rows('SELECT 1 FROM org_roles WHERE org_id = $1', [org.id])).toEqual([]);
  });
});

describe('the table of memberships', () => {
  it.each([
    ['a role of another organization', (_: string, theirs: string) => [theirs, 'member']],
    ['a role of another rank', (ours: string) => [ours, 'org_admin']],
  ])('takes no %s', async (_, choose) => {
    const [org, other] = [await foundOrg(app), await foundOrg(app)];
    const [roleId, role] = choose((await made(org)).id, (await made(other)).id);
    await expect(
      rows('UPDATE memberships SET role_id = $1, role = $2 WHERE user_id = $3', [
        roleId,
        role,
        org.member.id,
      ]),
    ).rejects.toThrow(/memberships_custom_role_fkey/);
    await invite(app, org.admin, org.id, freshAddress());
    await expect(
      rows('UPDATE invitations SET role_id = $1, role = $2 WHERE org_id = $3', [roleId, role, org.id]),
    ).rejects.toThrow(/invitations_custom_role_fkey/);
  });
});

describe('a permission that leaves the code', () => {
  const { 'notes.purge': purge, ...left } = DECLARED;
  const without = { modules: [], permissions: left };

  it('is worth nothing, stands among the unknown ones, and may stay there; it counts again when it is back', async () => {
    const org = await foundOrg(app);
    const role = await made(org, { permissions: ['notes.purge', 'notes.read'] });
    await give(org, org.member, { role_id: role.id });
    const later = await TestApp.start(
      { SVC_ORGS_PER_USER: '3' },
      { product: without, database: app.database },
    );
    const as = ({ jar }: Member) => {
      const browser = later.browser();
      for (const [name, value] of jar) browser.jar.set(name, value);
      return browser;
    };
    expect(purge.title).toBe('Delete all notes');
    expect((await as(org.member).get('/access')).body.access.permissions).toEqual([
      'latchkey.members.read',
      'latchkey.billing.read',
      'notes.read',
    ]);
    const patch = (permissions: string[]) =>
      as(org.admin).patch(`/orgs/${org.id}/roles/${role.id}`, { permissions });
    const kept = await patch(['notes.purge', 'notes.write']);
    expect([kept.status, kept.body.role.unknown_permissions]).toEqual([200, ['notes.purge']]);
    const other = await as(org.admin).post(`/orgs/${org.id}/roles`, {
      name: 'Other',
      base: 'member',
      permissions: ['notes.purge'],
    });
    expect(other.status).toBe(400);

    expect((await org.member.get('/notes/purge')).status).toBe(200);
    await patch(['notes.write']);
    expect((await patch(['notes.purge'])).status).toBe(400);
    expect((await org.member.get('/notes/purge')).status).toBe(403);
    await later.nest.close();
  });
});
