import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import type { PermissionDeclarations } from '../../src/access/permissions.js';
import { Role } from '../../src/http/role.js';
import { Personal, Public, Requires } from '../../src/http/route.js';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';
import { TOKENS } from '../support/token-keys.js';
import { until } from '../support/until.js';

const DECLARED = {
  'notes.read': { title: 'Read notes', from: Role.READONLY, keys: true },
  'notes.write': { title: 'Write notes', from: Role.MEMBER },
  'notes.purge': { title: 'Delete all notes', from: Role.ORG_ADMIN },
  'notes.move-all': { title: 'Move notes between organizations', from: 'operator' },
} satisfies PermissionDeclarations;

const OF_SETTING = [{ name: 'reports.read', title: 'Read reports', from: 'member', keys: true }];

@Controller('notes')
class NotesController {
  @Get('read')
  @Requires('notes.read')
  read() {
    return {};
  }

  @Get('write')
  @Requires('notes.write')
  write() {
    return {};
  }

  @Get('both')
  @Requires('notes.read', 'notes.purge')
  both() {
    return {};
  }

  @Get('all')
  @Requires('notes.move-all')
  all() {
    return {};
  }

  @Get('mine')
  @Personal()
  @Requires('notes.write')
  mine() {
    return {};
  }

  @Get('contradictory')
  @Public()
  @Requires('notes.read')
  contradictory() {
    return {};
  }
}

@Controller('purged')
@Requires('notes.purge')
class PurgedController {
  @Get()
  list() {
    return {};
  }

  @Get('written')
  @Requires('notes.write')
  written() {
    return {};
  }
}

@Module({ controllers: [NotesController, PurgedController] })
class NotesModule {}

const variables = { ...TOKENS, SVC_PERMISSIONS: JSON.stringify(OF_SETTING), SVC_ORGS_PER_USER: '3' };

let app: TestApp;
let org: TestOrg;
let root: Browser;
beforeAll(async () => {
  app = await TestApp.start(variables, { product: { modules: [NotesModule], permissions: DECLARED } });
  org = await foundOrg(app);
  root = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());

const statuses = (path: string) =>
  Promise.all(
    [org.readonly, org.member, org.admin, root].map(async (browser) => (await browser.get(path)).status),
  );

describe('a route that requires permissions', () => {
  it.each([
    ['/notes/read', [200, 200, 200, 200]],
    ['/notes/write', [403, 200, 200, 200]],
    ['/notes/both', [403, 403, 200, 200]],
    ['/notes/all', [403, 403, 403, 200]],
    ['/purged', [403, 403, 200, 200]],
    // What the controller asks for holds too.
    ['/purged/written', [403, 403, 200, 200]],
  ])('%s admits readonly, member, org_admin and sys_admin so: %j', async (path, expected) => {
    expect(await statuses(path)).toEqual(expected);
  });

  it('names the permission that is missing, has the refusal recorded, and asks the database nothing', async () => {
    const { id, member } = await foundOrg(app);
    expect(await member.get('/notes/both')).toMatchObject({
      status: 403,
      body: { code: 'InsufficientPermission', permission: 'notes.purge' },
    });
    const recorded = `SELECT details FROM audit_events WHERE org_id = $1 AND type = 'access.refused'`;
    await until(async () => (await app.database.rows(recorded, [id])).length > 0);
    expect(await app.database.rows(recorded, [id])).toEqual([
      { details: { code: 'InsufficientPermission', route: 'GET /notes/both' } },
    ]);
    expect(await statementsDuring(() => member.get('/notes/write'))).toHaveLength(1);
  });

  it('refuses a caller without a session, also where it says that it is public', async () => {
    expect((await app.browser().get('/notes/read')).status).toBe(401);
    expect((await app.browser().get('/notes/contradictory')).status).toBe(401);
  });

  it('judges by the role in the organization of the request, or by the own role', async () => {
    const consultant = org.readonly;
    const other = await foundOrg(app);
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'org_admin', 'invitation')`,
      [consultant.id, other.id],
    );
    const status = async (path: string, orgId: string) =>
      (await consultant.get(path, { 'latchkey-org': orgId })).status;

    expect([await status('/notes/both', org.id), await status('/notes/both', other.id)]).toEqual([403, 200]);
    expect([await status('/notes/write', 'none'), await status('/notes/mine', org.id)]).toEqual([200, 200]);
    expect((await consultant.get('/notes/read')).body.code).toBe('OrgRequired');
    await app.database.rows('DELETE FROM memberships WHERE user_id = $1 AND org_id = $2', [
      consultant.id,
      other.id,
    ]);
  });

  it('follows a change of role with the next request', async () => {
    const { member } = await foundOrg(app);
    expect((await member.get('/notes/both')).status).toBe(403);
    await app.database.rows(`UPDATE memberships SET role = 'org_admin' WHERE user_id = $1`, [member.id]);
    expect((await member.get('/notes/both')).status).toBe(200);
  });
});

describe('what is declared', () => {
  it('is listed for everybody who is logged in', async () => {
    const { status, body } = await (await loggedIn(app)).get('/permissions');
    expect(status).toBe(200);
    expect(body.data).toEqual(
      expect.arrayContaining([
        { name: 'notes.read', title: 'Read notes', from: 'readonly', keys: true },
        { name: 'notes.move-all', title: 'Move notes between organizations', from: 'operator', keys: false },
        { name: 'reports.read', title: 'Read reports', from: 'member', keys: true },
      ]),
    );
    expect((await app.browser().get('/permissions')).status).toBe(401);
  });

  const start = (declared: unknown, ofSetting: unknown = []) =>
    TestApp.start(
      { SVC_PERMISSIONS: JSON.stringify(ofSetting) },
      { product: { modules: [NotesModule], permissions: declared as PermissionDeclarations } },
    );
  const read = DECLARED['notes.read'];

  it.each<[string, unknown, unknown, RegExp]>([
    [
      'a name without a dot',
      { ...DECLARED, notes: read },
      [],
      /notes: name must be lower-case words with a dot/,
    ],
    ['a name of 65 letters', { ...DECLARED, [`a.${'b'.repeat(63)}`]: read }, [], /must be lower-case words/],
    ['no title', { ...DECLARED, 'a.b': { from: 'member' } }, [], /a\.b: title must be/],
    [
      'an unknown role',
      { ...DECLARED, 'a.b': { ...read, from: 'owner' } },
      [],
      /a\.b: from must be one of readonly/,
    ],
    [
      'a name of the service',
      { ...DECLARED, 'latchkey.members.eat': read },
      [],
      /is of the family of the service/,
    ],
    ['a name twice', DECLARED, [{ ...read, name: 'notes.read' }], /notes\.read is declared twice/],
    [
      'a field of another name',
      DECLARED,
      [{ ...OF_SETTING[0], form: 'member' }],
      /SVC_PERMISSIONS\[0\]\.form is not known/,
    ],
    ['no list', DECLARED, { 'a.b': read }, /SVC_PERMISSIONS must be a JSON list/],
    [
      '201 of them',
      DECLARED,
      Array.from({ length: 197 }, (_, n) => ({ ...OF_SETTING[0], name: `a.b${n}` })),
      /201 are declared, and 200 at most/,
    ],
    [
      'one less than a route requires',
      { 'notes.read': read, 'notes.write': read, 'notes.purge': read },
      [],
      /GET \/notes\/all requires notes\.move-all, which is not declared/,
    ],
  ])('stops the start where it has %s', async (_, declared, ofSetting, message) => {
    await expect(start(declared, ofSetting)).rejects.toThrow(message);
  });
});

describe('GET /access', () => {
  it('says what the user may do in the organization of the request', async () => {
    const { body } = await org.member.get('/access');
    expect(body.access).toEqual({
      principal: 'user',
      org_id: org.id,
      role: 'member',
      custom_role: null,
      permissions: [
        'latchkey.members.read',
        'latchkey.billing.read',
        'notes.read',
        'notes.write',
        'reports.read',
      ],
      subscribed: false,
    });
    const all = (await root.get('/access')).body.access;
    expect([all.org_id, all.role, all.permissions]).toEqual([
      null,
      'sys_admin',
      (await root.get('/permissions')).body.data.map(({ name }: { name: string }) => name),
    ]);
  });

  it('says whether it is paid for, in the statement that finds the session', async () => {
    const paying = await foundOrg(app);
    await app.database.rows(
      `INSERT INTO billing_customers (id, org_id, subscription_id, status) VALUES (gen_random_uuid(), $1, 'sub_9', 'active')`,
      [paying.id],
    );
    let subscribed: unknown;
    const statements = await statementsDuring(async () => {
      subscribed = (await paying.member.get('/access')).body.access.subscribed;
    });
    expect([subscribed, statements.length]).toEqual([true, 1]);
  });

  it('is for members of the organization alone', async () => {
    const other = await foundOrg(app);
    expect((await org.member.get('/access', { 'latchkey-org': other.id })).status).toBe(404);
    expect((await app.browser().get('/access')).status).toBe(401);
  });
});

describe('a rule of a proxy that names permissions', () => {
  const verify = (browser: Browser, query: string) => browser.get(`/sessions/verify${query}`);

  it('admits who has all of them', async () => {
    expect((await verify(org.member, '?permission=notes.read,notes.write')).status).toBe(200);
    expect(await verify(org.member, '?permission=notes.read,notes.purge')).toMatchObject({
      status: 403,
      body: { code: 'InsufficientPermission', permission: 'notes.purge' },
    });
    expect((await verify(org.readonly, '?permission=reports.read')).status).toBe(403);
    expect((await verify(org.admin, '?min_role=member&permission=notes.purge')).status).toBe(200);
    expect((await verify(org.member, '?min_role=org_admin&permission=notes.purge')).body.code).toBe(
      'InsufficientRole',
    );
  });

  it.each([
    '?permission=notes.raed',
    '?permission=',
    '?permission=notes.read,',
    '?permission=notes.read,notes.read',
    '?permission=notes.read&permission=notes.write',
    '?permission=notes',
    '?permission=notes.read;notes.write',
    `?permission=${['a', 'b', 'c', 'd', 'e', 'f'].map((each) => `notes.${each}`).join(',')}`,
    '?permission=__proto__.constructor',
  ])('admits no caller when it is mistyped: %s', async (query) => {
    expect(await verify(root, query)).toMatchObject({ status: 400, body: { code: 'ValidationFailed' } });
  });

  it('has the signed token say what it has found, which a token that the SPA fetches does not', async () => {
    const claimsOf = (token = '') => JSON.parse(String(Buffer.from(token.split('.')[1] ?? '', 'base64url')));
    const { headers } = await verify(org.member, '?permission=notes.read&audience=reports');
    const fetched = (await org.member.post('/sessions/token', { audience: 'reports' })).body.token;

    expect(claimsOf(String(headers['latchkey-assertion'])).permissions).toEqual(['notes.read']);
    expect(claimsOf(fetched)).not.toHaveProperty('permissions');
    const bare = await verify(org.member, '?audience=reports');
    expect(claimsOf(String(bare.headers['latchkey-assertion']))).not.toHaveProperty('permissions');
  });

  it('has the body say what the caller may do, where it asks', async () => {
    expect((await verify(org.member, '')).body.access).toBeNull();
    expect((await verify(org.member, '?access=true')).body.access).toEqual(
      (await org.member.get('/access')).body.access,
    );
  });
});
