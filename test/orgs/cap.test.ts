import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { giveRole, loggedIn, loggedInAs, verified } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { asMember, foundOrg, invite, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

// Users can belong to as many organizations as SVC_ORGS_PER_USER says: 3 in `app`, and 1 in `one`, on the same database.

let app: TestApp;
let one: TestApp;
let [a, b, c, d]: TestOrg[] = [];
beforeAll(async () => {
  app = await TestApp.start({ SVC_ORGS_PER_USER: '3' });
  one = await TestApp.start({}, { database: app.database });
  [a, b, c, d] = await Promise.all(['Analytical', 'Babbage', 'Colossus', 'Difference'].map(named));
});
afterAll(async () => {
  await one.nest.close();
  await app.close();
});

async function named(name: string): Promise<TestOrg> {
  const org = await foundOrg(app, name);
  await app.database.rows(
    `UPDATE organizations SET created_at = created_at - interval '1 day' WHERE id = $1`,
    [org.id],
  );
  return org;
}

const newUser = async (): Promise<Member> => asMember(await loggedIn(app, await verified(app)));

async function inviteTo(
  org: TestOrg | undefined,
  { email }: { email: string },
  role = 'member',
): Promise<string> {
  const { admin, id } = org as TestOrg;
  return invite(app, admin, id, email, role);
}

async function join(org: TestOrg | undefined, member: Member, role = 'member') {
  return member.post('/invitations/accept', { token: await inviteTo(org, member, role) });
}

const namesOf = async (member: Member): Promise<string[]> =>
  (await member.get('/users/me')).body.organizations.map(({ name }: { name: string }) => name);

const idOf = (org: TestOrg | undefined) => (org as TestOrg).id;

describe('an invitation of another organization', () => {
  it('joins beside the first one, in the role that it offers, and the session goes on', async () => {
    const user = await newUser();
    await join(a, user, 'readonly');

    const { status, body } = await join(b, user, 'org_admin');

    expect([status, body.user]).toMatchObject([200, { id: user.id, org_id: idOf(b), role: 'org_admin' }]);
    const { organizations } = (await user.get('/users/me')).body;
    expect(organizations).toMatchObject([
      { id: idOf(a), role: 'readonly' },
      { id: idOf(b), role: 'org_admin' },
    ]);
    expect((await user.get(`/orgs/${idOf(a)}/members`)).status).toBe(200);
  });

  it('tells the admins of the one that is joined, also of an admin of another', async () => {
    const user = await newUser();
    await join(a, user, 'org_admin');
    await join(b, user, 'org_admin');

    const { text } = await app.mailbox.last((b as TestOrg).admin.email);
    // An address in a text is kept from becoming a link by characters of no width.
    expect(text.replace(/[\u200b\u2060]/g, '')).toContain(
      `${user.email} is now an administrator of the organization “Babbage”`,
    );
  });

  it('is 201 to its sender, and 409 to a user at the cap, for whom it stays good', async () => {
    const user = await newUser();
    for (const org of [a, b, c]) expect((await join(org, user)).status).toBe(200);

    const token = await inviteTo(d, user);
    const refused = await user.post('/invitations/accept', { token });
    expect([refused.status, refused.body.code]).toEqual([409, 'TooManyOrganizations']);
    expect(await namesOf(user)).toEqual(['Analytical', 'Babbage', 'Colossus']);

    await user.delete(`/orgs/${idOf(b)}/members/${user.id}`);
    expect((await user.post('/invitations/accept', { token })).status).toBe(200);
    expect(await namesOf(user)).toEqual(['Analytical', 'Colossus', 'Difference']);
  });

  it('is 409 AlreadyMember to a member, who joined while it was open', async () => {
    const user = await newUser();
    const token = await inviteTo(a, user);
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'readonly', 'admin')`,
      [user.id, idOf(a)],
    );

    const { status, body } = await user.post('/invitations/accept', { token });

    expect([status, body.code]).toEqual([409, 'AlreadyMember']);
    expect((await user.get('/users/me')).body.organizations).toMatchObject([{ role: 'readonly' }]);
  });

  it('raises nobody above READONLY whom a SYSTEM_ADMIN made that', async () => {
    const user = await newUser();
    await giveRole(app.database, user.id, 'readonly');
    await join(a, user);
    await join(b, user, 'org_admin');

    expect((await user.get('/users/me')).body.organizations).toMatchObject([
      { role: 'readonly' },
      { role: 'readonly' },
    ]);
  });
});

describe('a cap that is lowered', () => {
  it('takes nobody out, and lets nobody in', async () => {
    const user = await newUser();
    for (const org of [a, b]) await join(org, user);
    const token = await inviteTo(c, user);

    const now = await loggedIn(one, user.email);
    expect((await now.get(`/orgs/${idOf(a)}/members`)).status).toBe(200);
    expect((await now.get(`/orgs/${idOf(b)}/members`)).status).toBe(200);
    const refused = await now.post('/invitations/accept', { token });
    expect([refused.status, refused.body.code]).toEqual([409, 'AlreadyInOrganization']);
  });
});

describe('POST /users/me/org', () => {
  it('founds organizations beside others, up to the cap', async () => {
    const user = await newUser();
    await join(a, user, 'readonly');

    const { status, body } = await user.post('/users/me/org', { name: 'Enigma' });
    expect([status, body.user]).toMatchObject([201, { role: 'org_admin', org_id: body.org.id }]);
    expect((await user.post('/users/me/org', { name: 'Ferranti' })).status).toBe(201);
    const refused = await user.post('/users/me/org', { name: 'Golem' });

    expect([refused.status, refused.body.code]).toEqual([409, 'TooManyOrganizations']);
    expect(await namesOf(user)).toEqual(['Analytical', 'Enigma', 'Ferranti']);
  });
});

describe('POST /orgs', () => {
  it('takes the address of a user of others as its admin, unless they are at the cap', async () => {
    const root = await loggedInAs(app, 'sys_admin');
    const user = await newUser();
    for (const org of [a, b]) await join(org, user);

    const found = (name: string) => root.post('/orgs', { name, admin_email: user.email });
    expect((await found('Harvard')).status).toBe(201);
    await join(c, user);
    const refused = await found('Illiac');
    expect([refused.status, refused.body.code]).toEqual([409, 'TooManyOrganizations']);
  });
});

describe('what a person does', () => {
  it('is recorded in no organization, and for the person themselves', async () => {
    const user = await newUser();
    await join(a, user);

    const events = await eventsAfter(app, async () => {
      await user.patch('/users/me', { name: 'Ada' });
      await user.delete('/sessions');
      await app.browser().post('/auth/login', { email: user.email, password: 'wrong' });
      await user.post('/auth/logout');
    });

    expect(events.map(({ type, org_id }) => [type, org_id])).toEqual([
      ['account.updated', null],
      ['login.failed', null],
      ['logout', null],
    ]);
  });

  it('is recorded in the only organization where users belong to one', async () => {
    const { email, id } = await newUser();
    await app.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [id, idOf(a)],
    );

    const events = await eventsAfter(one, async () => {
      await one.browser().post('/auth/login', { email, password: 'wrong' });
    });
    expect(events).toMatchObject([{ type: 'login.failed', org_id: idOf(a) }]);
  });
});

describe('a request that is refused', () => {
  it('is recorded in its organization, and on a route of the person in none', async () => {
    const user = await newUser();
    await join(a, user);

    const inOrg = await eventsAfter(app, () => user.get(`/orgs/${idOf(a)}/invitations`));
    const ofPerson = await eventsAfter(app, () => user.get('/users'));

    const refusals = [...inOrg, ...ofPerson].filter(({ type }) => type === 'access.refused');
    expect(refusals).toMatchObject([{ org_id: idOf(a) }, { org_id: null }]);
  });
});

describe('the first request of a session into an organization', () => {
  const entriesOf = (userId: string) =>
    app.database.rows(
      `SELECT org_id, ip, user_agent FROM audit_events WHERE user_id = $1 AND type = 'member.entered' ORDER BY id`,
      [userId],
    );
  const lastEntry = async (org: TestOrg | undefined, userId: string) => {
    const { data } = (await (org as TestOrg).admin.get(`/orgs/${idOf(org)}/members?ids=${userId}`)).body;
    return data[0].entered_at;
  };

  it('is recorded there, once, with where it came from, and the list of members says when the last one was', async () => {
    const user = await newUser();
    await join(a, user);
    await join(b, user);
    expect(await lastEntry(a, user.id)).toBeNull();

    const enter = (browser: Browser, org: TestOrg | undefined) =>
      browser.get(`/orgs/${idOf(org)}/members`, { 'user-agent': 'Firefox' });
    const known = async (count: number) => {
      await until(async () => (await entriesOf(user.id)).length >= count);
      return entriesOf(user.id);
    };
    await Promise.all([enter(user, a), enter(user, a)]);
    expect(await known(1)).toEqual([{ org_id: idOf(a), ip: '127.0.0.1', user_agent: 'Firefox' }]);
    expect(Date.now() - Date.parse(await lastEntry(a, user.id))).toBeLessThan(60_000);
    expect(await lastEntry(b, user.id)).toBeNull();

    await enter(user, b);
    await enter(await loggedIn(app, user.email), a);
    const orgs = (await known(3)).map(({ org_id }) => org_id);
    expect(orgs.sort()).toEqual([idOf(a), idOf(a), idOf(b)].sort());
  });
});

describe('a role that a SYSTEM_ADMIN gives the member of one organization', () => {
  it('is recorded there where it changes the role there, and as the own role in none', async () => {
    const [member, root] = [await newUser(), await loggedInAs(app, 'sys_admin')];
    await join(a, member, 'org_admin');
    const give = (role: string) => async () =>
      expect((await root.patch(`/users/${member.id}`, { role })).status).toBe(200);
    const recordedFor = async (role: string) =>
      (await eventsAfter(app, give(role)))
        .filter(({ type }) => type === 'role.changed')
        .map(({ org_id, details }) => ({ org_id, details }));

    expect(await recordedFor('sys_admin')).toEqual([
      { org_id: null, details: { from: 'member', to: 'sys_admin' } },
    ]);
    expect(await recordedFor('member')).toEqual([
      { org_id: null, details: { from: 'sys_admin', to: 'member' } },
      { org_id: a?.id, details: { from: 'org_admin', to: 'member' } },
    ]);
  });
});
