import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { Role } from '../../src/http/role.js';
import { Requires } from '../../src/http/route.js';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import type { Answer, Browser } from '../support/browser.js';
import { Held } from '../support/lock-step.js';
import { foundOrg, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

@Controller('notes')
class NotesController {
  @Get()
  @Requires('notes.read')
  read() {
    return {};
  }
}

@Module({ controllers: [NotesController] })
class NotesModule {}

const product = {
  modules: [NotesModule],
  permissions: {
    'notes.read': { title: 'Read notes', from: Role.READONLY },
    'notes.write': { title: 'Write notes', from: Role.MEMBER },
    'notes.purge': { title: 'Delete all notes', from: Role.ORG_ADMIN },
  },
} as const;

const NAMES = Object.keys(product.permissions);

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await TestApp.start({}, { product });
  other = await TestApp.start({}, { product, database: app.database });
});
afterAll(async () => {
  await other.nest.close();
  await app.close();
});

/** The same person at the other replica. */
function elsewhere({ jar }: Browser): Browser {
  const browser = other.browser();
  for (const [name, value] of jar) browser.jar.set(name, value);
  return browser;
}

const rolesOf = ({ id }: TestOrg) => `/orgs/${id}/roles`;

async function made(org: TestOrg, permissions: string[] = ['notes.read']): Promise<string> {
  const body = { name: `Role ${randomUUID()}`, base: 'member', permissions };
  return (await org.admin.post(rolesOf(org), body)).body.role.id;
}

/** Sends requests to both replicas in turn, which meet at the organization. */
async function together(org: TestOrg, requests: ((admin: Browser) => Promise<Answer>)[]): Promise<Answer[]> {
  const replicas = [org.admin, elsewhere(org.admin)];
  const held = await Held.by(app.database, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [org.id]);
  const answers = Promise.all(requests.map((send, index) => send(replicas[index % 2] as Browser)));
  await held.untilWaiting(Math.min(requests.length, 2));
  await held.release();
  return answers;
}

const rows = (sql: string, values: unknown[]) => app.database.rows(sql, values);

describe('at once, on two replicas', () => {
  it('32 roles are made, and 20 are there', async () => {
    const org = await foundOrg(app);
    const answers = await together(
      org,
      Array.from(
        { length: 32 },
        (_, n) => (admin: Browser) =>
          admin.post(rolesOf(org), { name: `Role ${n}`, base: 'member', permissions: [] }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(new Set(answers.map(({ body }) => body.code ?? 'made'))).toEqual(
      new Set(['made', 'TooManyRoles']),
    );
    expect(await rows('SELECT count(*)::int FROM org_roles WHERE org_id = $1', [org.id])).toEqual([
      { count: 20 },
    ]);
  });

  it('a name is given twice, and one role has it', async () => {
    const org = await foundOrg(app);
    const answers = await together(
      org,
      Array.from(
        { length: 8 },
        () => (admin: Browser) =>
          admin.post(rolesOf(org), { name: 'Editor', base: 'member', permissions: [] }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  it.each<[string, (org: TestOrg, roleId: string) => (admin: Browser) => Promise<Answer>, string]>([
    [
      'a role is removed and given to a member',
      (org, role_id) => (admin) => admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role_id }),
      'memberships',
    ],
    [
      'a role is removed and put into an invitation',
      (org, role_id) => (admin) =>
        admin.post(`/orgs/${org.id}/invitations`, { email: freshAddress(), role_id }),
      'invitations',
    ],
  ])('%s: one of the two is refused', async (_, give, table) => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      const org = await foundOrg(app);
      const roleId = await made(org);
      const remove = (admin: Browser) => admin.delete(`${rolesOf(org)}/${roleId}`);
      const acts = [remove, give(org, roleId)];
      const [first, second] = await together(org, round % 2 ? acts : acts.toReversed());
      const [removed, given] = round % 2 ? [first, second] : [second, first];
      const held = await rows(`SELECT 1 FROM ${table} WHERE org_id = $1 AND role_id = $2`, [org.id, roleId]);
      const outcome = `${removed?.status} ${given?.status} ${held.length}`;
      expect(['204 404 0', '409 200 1', '409 201 1']).toContain(outcome);
      outcomes.add(outcome);
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });

  it('a role is removed while its invitation is accepted, and the member has it', async () => {
    const org = await foundOrg(app);
    const roleId = await made(org);
    const email = freshAddress();
    await org.admin.post(`/orgs/${org.id}/invitations`, { email, role_id: roleId });
    const token = await app.mailbox.token(email);
    const [removed, accepted] = await together(org, [
      (admin) => admin.delete(`${rolesOf(org)}/${roleId}`),
      () => other.browser().post('/invitations/accept', { token, password: PASSWORD }),
    ]);
    expect([removed?.status, accepted?.status]).toEqual([409, 201]);
    expect(await rows('SELECT 1 FROM memberships WHERE role_id = $1', [roleId])).toHaveLength(1);
  });

  it('a maker of a role is demoted, and makes none after that', async () => {
    const org = await foundOrg(app);
    const second = (await rows(
      `UPDATE memberships SET role = 'org_admin' WHERE user_id = $1 RETURNING role`,
      [org.member.id],
    )) as unknown[];
    expect(second).toHaveLength(1);
    const held = await Held.by(app.database, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [
      org.id,
    ]);
    const demotion = org.admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role: 'member' });
    await held.untilWaiting(1);
    const making = elsewhere(org.member).post(rolesOf(org), {
      name: 'Mine',
      base: 'member',
      permissions: NAMES,
    });
    await held.untilWaiting(2);
    await held.release();
    expect([(await demotion).status, (await making).body.code]).toEqual([200, 'InsufficientRole']);
    expect(await rows('SELECT 1 FROM org_roles WHERE org_id = $1', [org.id])).toEqual([]);
  });
});

describe('a change of a role', () => {
  it('binds the next request on each replica, also among many', async () => {
    const org = await foundOrg(app);
    const roleId = await made(org);
    await org.admin.patch(`/orgs/${org.id}/members/${org.member.id}`, { role_id: roleId });
    const there = elsewhere(org.member);
    const ask = async () => {
      const pairs = Array.from({ length: 50 }, () => [org.member, there]).flat();
      return new Set(await Promise.all(pairs.map(async (browser) => (await browser.get('/notes')).status)));
    };
    for (let round = 0; round < 20; round += 1) {
      const permissions = round % 2 ? ['notes.read'] : ['notes.write'];
      await org.admin.patch(`${rolesOf(org)}/${roleId}`, { permissions });
      expect(await ask()).toEqual(new Set([round % 2 ? 200 : 403]));
    }
  });
});

describe('histories of roles', () => {
  /** A number below another one, the same in each run. */
  function dice(seed: number) {
    let state = seed;
    return (sides: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * sides);
    };
  }

  const histories = Number(process.env.LATCHKEY_HISTORIES ?? 20);

  it('leave each member with what the rows say, an admin in place, and no more than an ORG_ADMIN has', async () => {
    for (let seed = 1; seed <= histories; seed += 1) {
      const roll = dice(seed);
      const org = await foundOrg(app);
      const people: Member[] = [org.member, org.readonly];
      const ids: string[] = [randomUUID()];
      const some = () => NAMES.filter(() => roll(2) === 0);
      const acts: (() => Promise<Answer>)[] = [
        async () => {
          const answer = await org.admin.post(rolesOf(org), {
            name: `Role ${roll(6)}`,
            base: roll(2) ? 'member' : 'readonly',
            permissions: some(),
          });
          if (answer.status === 201) ids.push(answer.body.role.id);
          return answer;
        },
        () => org.admin.patch(`${rolesOf(org)}/${ids[roll(ids.length)]}`, { permissions: some() }),
        () => org.admin.delete(`${rolesOf(org)}/${ids[roll(ids.length)]}`),
        () =>
          org.admin.patch(`/orgs/${org.id}/members/${people[roll(2)]?.id}`, {
            role_id: ids[roll(ids.length)],
          }),
        () =>
          org.admin.patch(`/orgs/${org.id}/members/${people[roll(2)]?.id}`, {
            role: ['readonly', 'member'][roll(2)],
          }),
        // By a member, whatever their role.
        () =>
          (people[roll(2)] as Member).post(rolesOf(org), {
            name: 'Mine',
            base: 'member',
            permissions: NAMES,
          }),
      ];
      for (let act = 0; act < 15; act += 1) {
        const answer = await (acts[roll(acts.length)] as () => Promise<Answer>)();
        expect([200, 201, 204, 403, 404, 409]).toContain(answer.status);
      }
      for (const person of people) {
        const [row] = await rows(
          `SELECT m.role, r.permissions FROM memberships m
             LEFT JOIN org_roles r ON r.org_id = m.org_id AND r.id = m.role_id WHERE m.user_id = $1`,
          [person.id],
        );
        const expected = row?.permissions ?? (row?.role === 'readonly' ? ['notes.read'] : NAMES.slice(0, 2));
        const { permissions } = (await elsewhere(person).get('/access')).body.access;
        expect(permissions.filter((name: string) => name.startsWith('notes.'))).toEqual(
          NAMES.filter((name) => expected.includes(name)),
        );
      }
      expect(
        await rows(`SELECT user_id FROM memberships WHERE org_id = $1 AND role = 'org_admin'`, [org.id]),
      ).toEqual([{ user_id: org.admin.id }]);
      expect(
        await rows('SELECT 1 FROM org_roles WHERE org_id = $1 AND NOT permissions <@ $2', [org.id, NAMES]),
      ).toEqual([]);
    }
  });
});
