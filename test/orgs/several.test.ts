import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import {
  Answers,
  type CallerOrg,
  CurrentOrg,
  MinRole,
  NeedsOrg,
  nullable,
  object,
  oneOf,
  Role,
  uuid,
} from '../../src/latchkey.js';
import { loggedIn, loggedInAs, PASSWORD, verified } from '../support/accounts.js';
import { Authenticator } from '../support/authenticator.js';
import type { Browser } from '../support/browser.js';
import { asMember, type Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const ORG = nullable(object({ id: uuid, role: oneOf(Object.values(Role)) }));

/** What a product would add, whose rows belong to organizations. */
@Controller('shop')
class ShopController {
  @Get('anything')
  @Answers(200, { org: ORG })
  anything(@CurrentOrg() org: CallerOrg | null) {
    return { org };
  }

  @Get('ours')
  @NeedsOrg()
  @Answers(200, { org: ORG })
  ours(@CurrentOrg() org: CallerOrg | null) {
    return { org };
  }

  @Get('writable')
  @MinRole(Role.MEMBER)
  @Answers(200, { org: ORG })
  writable(@CurrentOrg() org: CallerOrg | null) {
    return { org };
  }
}

@Module({ controllers: [ShopController] })
class ShopModule {}

let app: TestApp;
let [a, b, foreign] = ['', '', ''];
/** A user of no organization, of one, and of two; and a SYSTEM_ADMIN of none. */
let [none, one, two, root]: Member[] = [];
beforeAll(async () => {
  app = await TestApp.start({}, { product: { modules: [ShopModule] } });
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.database.rows('TRUNCATE users, organizations CASCADE');
  [a, b, foreign] = [await org('Analytical'), await org('Babbage'), await org('Foreign')];
  none = await asMember(await loggedIn(app));
  one = await memberOf([a, 'member']);
  two = await memberOf([a, 'readonly'], [b, 'org_admin']);
  root = await loggedInAs(app, 'sys_admin');
});

const org = (name: string): Promise<string> =>
  app.database.value('INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), $1) RETURNING id', [
    name,
  ]);

async function memberOf(...memberships: [orgId: string, role: string][]): Promise<Member> {
  const member = await asMember(await loggedIn(app, await verified(app)));
  for (const [orgId, role] of memberships)
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, $3, 'invitation')`,
      [member.id, orgId, role],
    );
  return member;
}

/** What a request answers that names an organization, or does not. */
async function asked(browser: Browser | undefined, path: string, named?: string) {
  const headers = named === undefined ? {} : { 'latchkey-org': named };
  const { status, body } = await (browser as Browser).get(path, headers);
  return status === 200 ? body : body.code;
}

const OPEN = '/shop/anything';

describe('a request of a user of one organization', () => {
  it('is for that organization, and needs to name none', async () => {
    expect(await asked(one, OPEN)).toEqual({ org: { id: a, role: 'member' } });
    expect(await asked(one, OPEN, a)).toEqual({ org: { id: a, role: 'member' } });
    expect(await asked(one, OPEN, a.toUpperCase())).toEqual({ org: { id: a, role: 'member' } });
    expect(await asked(one, OPEN, 'none')).toEqual({ org: null });
  });

  it('gets for an organization of others what it gets for one that does not exist', async () => {
    const get = (named: string) => (one as Member).get(OPEN, { 'latchkey-org': named });
    const [others, unknown] = [await get(foreign), await get(randomUUID())];

    expect(others.status).toBe(404);
    expect({ ...others.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
  });
});

describe('a request of a user of several organizations', () => {
  it('names the one that it is for, and has the role there', async () => {
    expect(await asked(two, OPEN)).toBe('OrgRequired');
    expect(await asked(two, OPEN, a)).toEqual({ org: { id: a, role: 'readonly' } });
    expect(await asked(two, OPEN, b)).toEqual({ org: { id: b, role: 'org_admin' } });
    expect(await asked(two, OPEN, 'none')).toEqual({ org: null });
    expect(await asked(two, OPEN, foreign)).toBe('NotFound');
  });

  it('is judged by the role in that organization', async () => {
    expect(await asked(two, '/shop/writable', a)).toBe('InsufficientRole');
    expect(await asked(two, '/shop/writable', b)).toEqual({ org: { id: b, role: 'org_admin' } });
    expect(await asked(two, `/orgs/${a}/invitations`)).toBe('InsufficientRole');
    expect(await asked(two, `/orgs/${b}/invitations`)).toMatchObject({ data: [] });
  });

  it('cannot name another organization than that of the path', async () => {
    const { status, body } = await (two as Member).get(`/orgs/${b}/members`, { 'latchkey-org': a });

    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { field: 'Latchkey-Org', reasons: [{ code: 'not_the_org_of_path' }] },
    ]);
    expect(await asked(two, `/orgs/${b}/members`, b)).toMatchObject({ data: [{ id: two?.id }] });
    expect(await asked(two, `/orgs/${b}/members`, 'none')).toBe('ValidationFailed');
  });

  it('shows a member with the role in the organization of the list', async () => {
    const { data } = await asked(two, `/orgs/${b}/members`);

    expect(data).toMatchObject([{ id: two?.id, org_id: b, role: 'org_admin' }]);
  });
});

describe('GET /users/me', () => {
  it('lists the organizations by name, and has the role in the one that is named', async () => {
    const organizations = [
      { id: a, name: 'Analytical', role: 'readonly' },
      { id: b, name: 'Babbage', role: 'org_admin' },
    ];

    expect(await asked(two, '/users/me')).toMatchObject({
      user: { org_id: null, role: 'member' },
      organizations,
    });
    expect(await asked(two, '/users/me', b)).toMatchObject({
      user: { org_id: b, role: 'org_admin' },
      organizations,
    });
    expect(await asked(two, '/users/me', foreign)).toBe('NotFound');
    expect(await asked(none, '/users/me')).toMatchObject({ user: { org_id: null }, organizations: [] });
    expect(await asked(one, '/users/me')).toMatchObject({
      user: { org_id: a, role: 'member' },
      organizations: [{ id: a, name: 'Analytical', role: 'member' }],
    });
  });

  it('says at a login which ones there are', async () => {
    const { body } = await app.browser().post('/auth/login', { email: two?.email, password: PASSWORD });

    expect(body.organizations.map(({ name }: { name: string }) => name)).toEqual(['Analytical', 'Babbage']);
  });
});

describe('an organization that asks for a second factor', () => {
  const ask = (orgId: string) =>
    app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [orgId]);
  const login = async () =>
    (await app.browser().post('/auth/login', { email: two?.email, password: PASSWORD })).body;

  it('is closed to a session without one, and the other one is not', async () => {
    await ask(a);

    expect(await asked(two, OPEN, a)).toBe('OrgPolicyUnmet');
    expect(await asked(two, OPEN, b)).toEqual({ org: { id: b, role: 'org_admin' } });
    expect(await asked(two, OPEN, 'none')).toEqual({ org: null });
    expect(await asked(two, '/users/me', a)).toMatchObject({
      organizations: [{ unmet: ['second_factor'] }, { unmet: [] }],
    });
  });

  it('says so before it says that a role is too low, and after it says that it is not there', async () => {
    await ask(a);
    await ask(foreign);

    expect(await asked(two, '/shop/writable', a)).toBe('OrgPolicyUnmet');
    expect(await asked(two, '/shop/writable', foreign)).toBe('NotFound');
  });

  it('is open to a SYSTEM_ADMIN', async () => {
    await ask(a);

    expect(await asked(root, OPEN, a)).toEqual({ org: { id: a, role: 'sys_admin' } });
  });

  it('keeps a user without a factor out of no other: the login asks once all of them do', async () => {
    await ask(a);
    expect(await login()).toMatchObject({ organizations: [{ unmet: ['second_factor'] }, { unmet: [] }] });

    await ask(b);
    expect(await login()).toMatchObject({ pending_login: { next: 'setup' } });
  });

  it('has the login ask a user with a factor, whatever the other one says: a thief adds none of their own', async () => {
    await ask(a);
    const { options } = (await (two as Member).post('/users/me/passkeys/options')).body;
    const credential = new Authenticator().create(options);
    expect((await (two as Member).post('/users/me/passkeys', { credential })).status).toBe(201);

    expect(await login()).toMatchObject({ pending_login: { next: 'second_factor', methods: ['passkey'] } });
  });
});

describe('a personal route', () => {
  it('reads no organization, so that every tab can log out', async () => {
    const anything = 'no organization, and no id';

    expect(await asked(two, '/sessions', anything)).toMatchObject({ data: [{ current: true }] });
    expect((await (two as Member).post('/auth/logout', {}, { 'latchkey-org': foreign })).status).toBe(204);
  });
});

describe('the header Latchkey-Org', () => {
  it.each(['', 'initech', `${randomUUID()}, ${randomUUID()}`, `${randomUUID()}:443`])(
    'is refused as %j on routes that are for an organization',
    async (named) => {
      for (const path of [OPEN, '/users/me', `/orgs/${a}/members`])
        expect(await asked(one, path, named)).toBe('ValidationFailed');
    },
  );
});

describe('a route that needs an organization', () => {
  it('answers only a request that is for one', async () => {
    expect(await asked(none, '/shop/ours')).toBe('NotAMember');
    expect(await asked(one, '/shop/ours')).toEqual({ org: { id: a, role: 'member' } });
    expect(await asked(one, '/shop/ours', 'none')).toBe('NotAMember');
    expect(await asked(two, '/shop/ours')).toBe('OrgRequired');
    expect(await asked(root, '/shop/ours')).toBe('OrgRequired');
    expect(await asked(root, '/shop/ours', a)).toEqual({ org: { id: a, role: 'sys_admin' } });
  });
});

describe('a SYSTEM_ADMIN', () => {
  it('may name every organization that there is', async () => {
    expect(await asked(root, OPEN)).toEqual({ org: null });
    expect(await asked(root, OPEN, foreign)).toEqual({ org: { id: foreign, role: 'sys_admin' } });
    expect(await asked(root, OPEN, randomUUID())).toBe('NotFound');
  });
});

describe('GET /sessions/verify', () => {
  const verify = (browser: Browser | undefined, query: string, named?: string) =>
    asked(browser, `/sessions/verify${query}`, named);

  it('asks for the organization that the rule says, and reads the header only where the rule says so', async () => {
    expect(await verify(one, '')).toMatchObject({ user: { org_id: a } });
    expect(await verify(one, '', foreign)).toMatchObject({ user: { org_id: a } });
    expect(await verify(two, '', a)).toBe('OrgRequired');
    expect(await verify(two, `?org=${b}`)).toMatchObject({ user: { org_id: b, role: 'org_admin' } });
    expect(await verify(two, '?org=header', a)).toMatchObject({ user: { org_id: a, role: 'readonly' } });
    expect(await verify(two, '?org=none')).toMatchObject({ user: { org_id: null, role: 'member' } });
    expect(await verify(two, '?org=initech')).toBe('ValidationFailed');
    expect(await verify(two, `?org=${a}&org=${b}`)).toBe('ValidationFailed');
  });

  it('says of an organization of others, and of one that is not there, that the caller is no member', async () => {
    for (const id of [foreign, randomUUID()]) {
      expect(await verify(two, `?org=${id}`)).toBe('NotAMember');
      expect(await verify(two, '?org=header', id)).toBe('NotAMember');
    }
    expect(await verify(root, `?org=${foreign}`)).toMatchObject({ user: { org_id: foreign } });
    expect(await verify(root, `?org=${randomUUID()}`)).toBe('NotAMember');
  });

  it('judges the least role in the organization', async () => {
    expect(await verify(two, `?org=${a}&min_role=member`)).toBe('InsufficientRole');
    expect(await verify(two, `?org=${b}&min_role=org_admin`)).toMatchObject({ user: { role: 'org_admin' } });
    const { headers } = await (two as Member).get(`/sessions/verify?org=${a}`);
    expect(headers).toMatchObject({ 'latchkey-org-id': a, 'latchkey-role': 'readonly' });
  });
});

describe('GET /audit-events', () => {
  it('shows those of the organization that is named, to its admins', async () => {
    expect(await asked(two, '/audit-events')).toMatchObject({ data: expect.anything() });
    expect(await asked(two, '/audit-events?scope=org')).toBe('OrgRequired');
    expect(await asked(two, '/audit-events?scope=org', a)).toBe('InsufficientRole');
    expect(await asked(two, '/audit-events?scope=org', b)).toMatchObject({ data: [] });
  });
});

describe('64 requests at once with one cookie, for two organizations', () => {
  it('each get their own', async () => {
    const named = Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? a : b));

    const answers = await Promise.all(named.map((id) => asked(two, OPEN, id)));

    expect(answers.map(({ org }) => org.id)).toEqual(named);
  });
});

describe('the membership of an organization that ends', () => {
  it('is over with the next request, and leaves the others as they were', async () => {
    await app.database.rows('DELETE FROM memberships WHERE user_id = $1 AND org_id = $2', [two?.id, b]);

    expect(await asked(two, OPEN, b)).toBe('NotFound');
    expect(await asked(two, OPEN, a)).toEqual({ org: { id: a, role: 'readonly' } });
    expect(await asked(two, OPEN)).toEqual({ org: { id: a, role: 'readonly' } });
  });
});
