import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import { loggedInAs, PASSWORD } from '../support/accounts.js';
import { Held } from '../support/lock-step.js';
import { foundOrg, joinOrg, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';
import { TwoReplicas } from '../support/two-replicas.js';

const ROUNDS = 20;

let replicas: TwoReplicas;
let app: TestApp;
beforeAll(async () => {
  replicas = await TwoReplicas.start({ SVC_RATE_LIMITS: 'off' });
  ({ app } = replicas);
});
afterAll(() => replicas.close());

const suspend = (by: Member, { id }: { id: string }, member: Member, suspended = true) =>
  by.patch(`/orgs/${id}/members/${member.id}`, { suspended });

/** An organization with two admins. */
async function withTwoAdmins(): Promise<TestOrg & { second: Member }> {
  const org = await foundOrg(app);
  return { ...org, second: await joinOrg(app, org, Role.ORG_ADMIN) };
}

const activeAdmins = (orgId: string) =>
  app.database.value(
    `SELECT count(*)::int FROM memberships WHERE org_id = $1 AND role = 'org_admin' AND suspended_at IS NULL`,
    [orgId],
  );

describe('two admins of an organization', () => {
  it.each<[string, (org: TestOrg & { second: Member }) => ReturnType<typeof suspend>]>([
    ['suspends the first too', (org) => suspend(org.second, org, org.admin)],
    ['leaves', ({ id, second }) => second.delete(`/orgs/${id}/members/${second.id}`)],
    [
      'deletes the account',
      ({ second }) => second.send('DELETE', '/users/me', { current_password: PASSWORD }),
    ],
  ])('are never both gone, where one suspends the second at once, who %s', async (_, other) => {
    for (let round = 0; round < ROUNDS; round++) {
      const org = await withTwoAdmins();

      const answers = await Promise.all([suspend(org.admin, org, org.second), other(org)]);

      expect(answers.every(({ status }) => status < 500)).toBe(true);
      expect(answers.some(({ status }) => status < 300)).toBe(true);
      expect(await activeAdmins(org.id)).toBe(1);
    }
  });

  it('are not both suspended at once by SYSTEM_ADMINs at two replicas', async () => {
    const roots = [await loggedInAs(app, 'sys_admin'), await loggedInAs(app, 'sys_admin')] as Member[];
    for (let round = 0; round < ROUNDS; round++) {
      const org = await withTwoAdmins();

      const answers = await replicas.inParallel(2, (replica, index) => {
        const root = replica.browser();
        for (const cookie of (roots[index] as Member).jar) root.jar.set(...cookie);
        return suspend(root as Member, org, index === 0 ? org.admin : org.second);
      });

      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await activeAdmins(org.id)).toBe(1);
    }
  });
});

describe('an admin who is suspended', () => {
  it('changes nothing with requests that were under way', async () => {
    const org = await withTwoAdmins();
    const held = await Held.by(app.database, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [
      org.id,
    ]);
    const suspension = suspend(org.admin, org, org.second);
    await held.untilWaiting(1);

    const late = [
      suspend(org.second, org, org.admin),
      org.second.patch(`/orgs/${org.id}/members/${org.member.id}`, { role: 'org_admin' }),
      org.second.patch(`/orgs/${org.id}`, { name: 'Mine' }),
    ];
    await held.untilWaiting(4);
    await held.release();

    expect((await suspension).status).toBe(200);
    for (const answer of await Promise.all(late)) expect(answer.body.code).toBe('InsufficientRole');
    expect(await activeAdmins(org.id)).toBe(1);
  });
});
