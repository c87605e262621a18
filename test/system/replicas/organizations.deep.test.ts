import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../../src/http/role.js';
import { crowd, emptyOrg, type Person } from '../../support/crowd.js';
import { type Sent, send, statusOf } from '../../support/send.js';
import { Replicas, START_PATIENCE_MS } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { TOKENS } from '../../support/token-keys.js';

const AT_ONCE = 48;

let database: TestDatabase;
let service: Replicas;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await Replicas.start(database, 3, TOKENS);
}, START_PATIENCE_MS);
afterAll(async () => {
  await service.kill();
  await database.close();
});

/** Works on numbers from 0 on, many at once, until one of them ends it. */
async function work(isDone: (turn: number) => boolean, one: (turn: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let turn = next++; !isDone(turn); turn = next++) await one(turn);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** A user of several organizations, logged in. */
async function memberOf(orgIds: string[], role: Role): Promise<Person> {
  const [person] = (await crowd(database, 1)) as [Person];
  for (const orgId of orgIds) await join(person, orgId, role);
  return person;
}

const join = ({ id }: Person, orgId: string, role: Role) =>
  database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, $3, 'invitation')`,
    [id, orgId, role],
  );

const named = (orgId: string) => ({ 'latchkey-org': orgId });

describe('two tabs with one cookie, for two organizations, over three replicas', () => {
  const REQUESTS = 10_000;

  /** Keeps every name that an organization is given. */
  const KEEP_NAMES = `
    CREATE TABLE given_names (org_id uuid, name text);
    CREATE FUNCTION keep_name() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
      BEGIN INSERT INTO given_names VALUES (NEW.id, NEW.name); RETURN NULL; END $$;
    CREATE TRIGGER keep_name AFTER UPDATE ON organizations FOR EACH ROW EXECUTE FUNCTION keep_name()`;

  let cookie: string;
  const json = async (turn: number, method: string, path: string, sent: Sent) => {
    const answer = await send(method, service.at(turn).url + path, { cookie, ...sent });
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}`);
    // biome-ignore lint/suspicious/noExplicitAny: each read knows the shape.
    return answer.json() as Promise<any>;
  };

  /** What says which organization a request was for. */
  const READS: ((turn: number, orgId: string) => Promise<string>)[] = [
    async (turn, orgId) => (await json(turn, 'GET', '/users/me', { headers: named(orgId) })).user.org_id,
    async (turn, orgId) => {
      const sent = { body: { audience: 'reports' }, headers: named(orgId) };
      const { token } = await json(turn, 'POST', '/sessions/token', sent);
      return JSON.parse(String(Buffer.from(token.split('.')[1], 'base64url'))).org_id;
    },
    async (turn, orgId) => (await json(turn, 'GET', `/sessions/verify?org=${orgId}`, {})).user.org_id,
    async (turn, orgId) => (await json(turn, 'GET', `/orgs/${orgId}`, { headers: named(orgId) })).org.id,
  ];

  it(`never get or change the other one in ${REQUESTS} requests`, async () => {
    const orgs = [await emptyOrg(database), await emptyOrg(database)];
    ({ cookie } = await memberOf(orgs, Role.ORG_ADMIN));
    await database.rows(KEEP_NAMES);
    const [other, crossed, written]: [string[], number[], string[]] = [[], [], []];

    await work(
      (turn) => turn >= REQUESTS,
      async (turn) => {
        // One step for the tab, so that each replica has both at once, and one for what the tab asks.
        const [mine, others] = turn % 2 === 0 ? orgs : orgs.toReversed();
        const [orgId = '', otherId = ''] = [mine, others];
        const step = Math.floor(turn / 6) % 6;
        const name = `${orgId}, turn ${turn}`;
        const read = READS[step];
        if (read) {
          const answered = await read(turn, orgId);
          if (answered !== orgId) other.push(`turn ${turn}: ${answered}`);
        } else if (step === 4) {
          await json(turn, 'PATCH', `/orgs/${orgId}`, { body: { name }, headers: named(orgId) });
          written.push(`${orgId} ${name}`);
        } else {
          // The client has mixed up its tabs.
          const sent = { cookie, body: { name }, headers: named(orgId) };
          crossed.push(await statusOf('PATCH', `${service.at(turn).url}/orgs/${otherId}`, sent));
        }
      },
    );

    expect(other).toEqual([]);
    expect(new Set(crossed)).toEqual(new Set([400]));
    const given = await database.rows('SELECT org_id, name FROM given_names');
    expect(given.map(({ org_id, name }) => `${org_id} ${name}`).sort()).toEqual(written.sort());
    expect(written.length).toBeGreaterThan(REQUESTS / 7);
  });
});

describe('a member whom an organization removes, over three replicas', () => {
  const ROUNDS = 15;
  /** Requests of a round: so many are sent before the removal, and into the organization after it. */
  const [BEFORE, AFTER] = [60, 200];

  /** The ways into an organization. */
  const DOORS: ((url: string, cookie: string, orgId: string) => Promise<number>)[] = [
    (url, cookie, orgId) => statusOf('GET', `${url}/users/me`, { cookie, headers: named(orgId) }),
    (url, cookie, orgId) => statusOf('GET', `${url}/orgs/${orgId}/members`, { cookie }),
    (url, cookie, orgId) => statusOf('GET', `${url}/sessions/verify?org=${orgId}`, { cookie }),
    (url, cookie, orgId) => {
      const body = { audience: 'reports' };
      return statusOf('POST', `${url}/sessions/token`, { cookie, body, headers: named(orgId) });
    },
  ];

  it('is refused there with the next request, and in the other one never', async () => {
    const [left, kept] = [await emptyOrg(database), await emptyOrg(database)];
    const admin = await memberOf([left], Role.ORG_ADMIN);
    const leaver = await memberOf([kept], Role.MEMBER);
    const statuses = { before: new Map<number, number>(), after: new Map(), kept: new Map() };
    const count = (counts: Map<number, number>, status: number) =>
      counts.set(status, (counts.get(status) ?? 0) + 1);

    for (let round = 0; round < ROUNDS; round++) {
      await join(leaver, left, Role.MEMBER);
      let isRemoved = false;
      let sentAfter = 0;
      await work(
        () => sentAfter >= AFTER,
        async (turn) => {
          if (turn === BEFORE) {
            const url = `${service.at(round).url}/orgs/${left}/members/${leaver.id}`;
            expect(await statusOf('DELETE', url, { cookie: admin.cookie })).toBe(204);
            isRemoved = true;
            return;
          }
          const orgId = turn % 2 === 0 ? left : kept;
          const counts = orgId === kept ? statuses.kept : isRemoved ? statuses.after : statuses.before;
          if (counts === statuses.after) sentAfter += 1;
          const enter = DOORS[Math.floor(turn / 6) % DOORS.length] as (typeof DOORS)[number];
          count(counts, await enter(service.at(turn).url, leaver.cookie, orgId));
        },
      );
    }

    expect([...statuses.kept.keys()]).toEqual([200]);
    expect([...statuses.after.keys()].sort()).toEqual([403, 404]);
    expect(statuses.before.get(200)).toBeGreaterThan(ROUNDS);
  });
});
