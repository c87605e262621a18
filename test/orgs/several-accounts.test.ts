import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { asMember, foundOrg, invite, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

// What happens to the account of a user reaches all of their organizations, each of which hears of its own part alone.

let app: TestApp;
let [a, b]: TestOrg[] = [];
let user: Member;
let root: Member;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());
beforeEach(async () => {
  [a, b] = [await foundOrg(app, 'Analytical'), await foundOrg(app, 'Babbage')];
  user = await asMember(await loggedIn(app));
  root = await loggedInAs(app, 'sys_admin');
});

const idOf = (org: TestOrg | undefined): string => (org as TestOrg).id;

const join = (org: TestOrg | undefined, role: string) =>
  app.database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, $3, 'invitation')`,
    [user.id, idOf(org), role],
  );

/** Takes all members of an organization out but the user. */
const empty = (org: TestOrg | undefined) =>
  app.database.rows('DELETE FROM memberships WHERE org_id = $1 AND user_id <> $2', [idOf(org), user.id]);

/** The role of the user in each organization, by its name. */
const rolesOf = async (): Promise<Record<string, string>> => {
  const rows = await app.database.rows(
    `SELECT o.name, m.role FROM memberships m JOIN organizations o ON o.id = m.org_id
      WHERE m.user_id = $1 ORDER BY o.name`,
    [user.id],
  );
  return Object.fromEntries(rows.map(({ name, role }) => [name, role]));
};

const eventsOf = async (org: TestOrg | undefined): Promise<string[]> => {
  const rows = await app.database.rows(
    'SELECT type FROM audit_events WHERE org_id = $1 AND user_id = $2 ORDER BY id',
    [idOf(org), user.id],
  );
  return rows.map(({ type }) => type);
};

const deleteMe = () => user.send('DELETE', '/users/me', { current_password: PASSWORD });

describe('a user of two organizations', () => {
  it('is shown to a SYSTEM_ADMIN with both, and to an admin of one with that alone', async () => {
    await join(a, 'org_admin');
    await join(b, 'member');

    const { organizations, ...shown } = (await root.get(`/users/${user.id}`)).body.user;
    expect(shown).toMatchObject({ role: 'member', org_id: null });
    expect(organizations).toHaveLength(2);
    expect(organizations).toEqual(
      expect.arrayContaining([
        { id: idOf(a), role: 'org_admin', suspended: false },
        { id: idOf(b), role: 'member', suspended: false },
      ]),
    );
    const { data } = (await (b as TestOrg).admin.get(`/orgs/${idOf(b)}/members`)).body;
    expect(data).toContainEqual(expect.objectContaining({ id: user.id, org_id: idOf(b), role: 'member' }));
    expect(JSON.stringify(data)).not.toContain(idOf(a));
  });
});

describe('an account of two organizations that is deleted', () => {
  it('is kept while it is the only admin of one, which the answer names', async () => {
    await join(a, 'org_admin');
    await join(b, 'org_admin');
    await app.database.rows(`UPDATE memberships SET role = 'member' WHERE user_id = $1`, [a?.admin.id]);

    expect(await deleteMe()).toMatchObject({
      status: 409,
      body: { code: 'LastOrgAdmin', org_ids: [idOf(a)] },
    });
    expect(await root.delete(`/users/${user.id}`)).toMatchObject({
      status: 409,
      body: { code: 'LastOrgAdmin', org_ids: [idOf(a)] },
    });
    expect(await rolesOf()).toEqual({ Analytical: 'org_admin', Babbage: 'org_admin' });
  });

  it.each(['by its user', 'by a SYSTEM_ADMIN'])('%s takes each with it that is left empty', async (by) => {
    await join(a, 'org_admin');
    await join(b, 'member');
    await empty(a);

    const { status } = by === 'by its user' ? await deleteMe() : await root.delete(`/users/${user.id}`);

    expect(status).toBe(204);
    const left = await app.database.rows('SELECT id FROM organizations WHERE id IN ($1, $2)', [
      idOf(a),
      idOf(b),
    ]);
    expect(left).toEqual([{ id: idOf(b) }]);
    expect(await eventsOf(b)).toEqual(['member.removed']);
    expect(await eventsOf(a)).toContain('member.removed');
  });

  it('is kept while an organization pays that would be left empty', async () => {
    await join(a, 'org_admin');
    await join(b, 'member');
    await empty(a);
    await app.database.rows(
      `INSERT INTO billing_customers (id, org_id, stripe_customer_id, subscription_id, status)
       VALUES (gen_random_uuid(), $1, 'cus_1', 'sub_1', 'active')`,
      [idOf(a)],
    );

    expect((await deleteMe()).body.code).toBe('SubscriptionActive');
    expect(await rolesOf()).toEqual({ Analytical: 'org_admin', Babbage: 'member' });
  });
});

describe('a role that a SYSTEM_ADMIN gives a user of two organizations', () => {
  const give = (role: string) => root.patch(`/users/${user.id}`, { role });

  it('binds in both as READONLY, and in neither as MEMBER', async () => {
    await join(a, 'org_admin');
    await join(b, 'member');

    expect((await give('member')).status).toBe(200);
    expect(await rolesOf()).toEqual({ Analytical: 'org_admin', Babbage: 'member' });
    expect((await give('readonly')).body.user).toMatchObject({ role: 'readonly', org_id: null });
    expect(await rolesOf()).toEqual({ Analytical: 'readonly', Babbage: 'readonly' });
  });

  it('is recorded in each organization whose role changes, and the own role in none', async () => {
    await join(a, 'org_admin');
    await join(b, 'readonly');

    await give('readonly');

    const recorded = await app.database.rows(
      `SELECT org_id, details FROM audit_events WHERE type = 'role.changed' AND user_id = $1 ORDER BY id`,
      [user.id],
    );
    expect(recorded).toEqual([
      { org_id: null, details: { from: 'member', to: 'readonly' } },
      { org_id: idOf(a), details: { from: 'org_admin', to: 'readonly' } },
    ]);
  });

  it('is not ORG_ADMIN: in which of them?', async () => {
    await join(a, 'member');
    await join(b, 'member');

    expect(await give('org_admin')).toMatchObject({ status: 400, body: { errors: [{ field: 'role' }] } });
  });

  it('leaves neither without an admin', async () => {
    await join(a, 'org_admin');
    await join(b, 'org_admin');
    await app.database.rows(`UPDATE memberships SET role = 'member' WHERE user_id = $1`, [b?.admin.id]);

    expect((await give('readonly')).body).toMatchObject({ code: 'LastOrgAdmin', org_ids: [idOf(b)] });
    expect((await give('member')).status).toBe(200);
    expect(await rolesOf()).toEqual({ Analytical: 'org_admin', Babbage: 'org_admin' });
  });

  it('leaves none without an admin that a SYSTEM_ADMIN administers as a member', async () => {
    await join(a, 'member');
    await join(b, 'member');
    await give('sys_admin');
    await app.database.rows(`UPDATE memberships SET role = 'member' WHERE user_id = $1`, [a?.admin.id]);

    expect((await give('member')).body).toMatchObject({ code: 'LastOrgAdmin', org_ids: [idOf(a)] });
  });
});

describe('an account of two organizations that is secured', () => {
  it('leaves each that it joined lately', async () => {
    for (const org of [a, b] as TestOrg[]) {
      const token = await invite(app, org.admin, org.id, user.email);
      // The cap of one organization a user stands in the way of the second.
      const kept = await app.database.rows('DELETE FROM memberships WHERE user_id = $1 RETURNING *', [
        user.id,
      ]);
      expect((await user.post('/invitations/accept', { token })).status).toBe(200);
      for (const { org_id, role } of kept) await join({ id: org_id } as TestOrg, role);
    }
    const { text } = await app.mailbox.last(user.email);
    const token = /secure-account\?token=([\w-]+)/.exec(text)?.[1];

    expect((await app.browser().post('/auth/secure-account', { token })).status).toBe(204);
    expect(await rolesOf()).toEqual({});
    for (const org of [a, b]) expect(await eventsOf(org)).toEqual(['member.joined', 'member.removed']);
  });
});

describe('a refusal of a user of two organizations', () => {
  const refusalsIn = (org: TestOrg | undefined) =>
    app.database.value(
      `SELECT count(*)::int FROM audit_events WHERE type = 'access.refused' AND org_id = $1 AND user_id = $2`,
      [idOf(org), user.id],
    );

  it('at the check of a back end is one of the organization that it asked for', async () => {
    await join(a, 'readonly');
    await join(b, 'org_admin');

    const rule = `/sessions/verify?org=${idOf(a)}&min_role=member`;
    expect((await user.get(rule)).body.code).toBe('InsufficientRole');
    await until(async () => (await refusalsIn(a)) === 1);
    expect(await refusalsIn(b)).toBe(0);
  });

  it('for want of a second factor is one of the organization that asks for it', async () => {
    await join(a, 'member');
    await join(b, 'member');
    await app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [
      idOf(b),
    ]);

    expect((await user.get(`/orgs/${idOf(b)}`)).body.code).toBe('OrgPolicyUnmet');
    await until(async () => (await refusalsIn(b)) === 1);
    expect(await refusalsIn(a)).toBe(0);
  });
});
