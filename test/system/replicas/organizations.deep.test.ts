import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../../src/http/role.js';
import { crowd, emptyOrg, type Person } from '../../support/crowd.js';
import { type Sent, send, statusOf } from '../../support/send.js';
import { Replicas, START_PATIENCE_MS } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { TOKENS } from '../../support/token-keys.js';
import { until } from '../../support/until.js';

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

describe('an admin whom another one, over three replicas,', () => {
  const ROUNDS = 5;
  /** Requests of a round: so many are sent before the act, and into the organization after it. */
  const [BEFORE, AFTER] = [60, 667];

  type Door = (url: string, cookie: string, orgId: string) => Promise<number>;

  /** The ways into an organization that only its admins have. */
  const OF_ADMINS: Door[] = [
    (url, cookie, orgId) => statusOf('GET', `${url}/orgs/${orgId}/policy`, { cookie }),
    (url, cookie, orgId) =>
      statusOf('GET', `${url}/sessions/verify?org=${orgId}&min_role=org_admin`, { cookie }),
  ];

  const OF_ALL: Door[] = [
    (url, cookie, orgId) => statusOf('GET', `${url}/users/me`, { cookie, headers: named(orgId) }),
    (url, cookie, orgId) => statusOf('GET', `${url}/orgs/${orgId}/members`, { cookie }),
    (url, cookie, orgId) => statusOf('GET', `${url}/sessions/verify?org=${orgId}`, { cookie }),
    (url, cookie, orgId) => {
      const body = { audience: 'reports' };
      return statusOf('POST', `${url}/sessions/token`, { cookie, body, headers: named(orgId) });
    },
  ];

  const ACTS: [
    what: string,
    act: (member: string, cookie: string) => Promise<number>,
    undo: string,
    doors: Door[],
    refusals: number[],
  ][] = [
    [
      'removes',
      (member, cookie) => statusOf('DELETE', member, { cookie }),
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'org_admin', 'invitation')`,
      [...OF_ALL, ...OF_ADMINS],
      [403, 404],
    ],
    [
      'suspends',
      (member, cookie) => statusOf('PATCH', member, { cookie, body: { suspended: true } }),
      'UPDATE memberships SET suspended_at = NULL WHERE (user_id, org_id) = ($1, $2)',
      [...OF_ALL, ...OF_ADMINS],
      [403],
    ],
    [
      'demotes',
      (member, cookie) => statusOf('PATCH', member, { cookie, body: { role: 'readonly' } }),
      `UPDATE memberships SET role = 'org_admin' WHERE (user_id, org_id) = ($1, $2)`,
      OF_ADMINS,
      [403],
    ],
  ];

  it.each(ACTS)(
    '%s, is refused in the organization with the next request, and in another one never',
    async (_, act, undo, doors, refusals) => {
      const [left, kept] = [await emptyOrg(database), await emptyOrg(database)];
      const admin = await memberOf([left], Role.ORG_ADMIN);
      const leaver = await memberOf([left, kept], Role.ORG_ADMIN);
      const statuses = { before: new Map<number, number>(), after: new Map(), kept: new Map() };
      const count = (counts: Map<number, number>, status: number) =>
        counts.set(status, (counts.get(status) ?? 0) + 1);

      for (let round = 0; round < ROUNDS; round++) {
        if (round > 0) await database.rows(undo, [leaver.id, left]);
        let isDone = false;
        let sentAfter = 0;
        await work(
          () => sentAfter >= AFTER,
          async (turn) => {
            if (turn === BEFORE) {
              const url = `${service.at(round).url}/orgs/${left}/members/${leaver.id}`;
              expect([200, 204]).toContain(await act(url, admin.cookie));
              isDone = true;
              return;
            }
            const orgId = turn % 2 === 0 ? left : kept;
            const counts = orgId === kept ? statuses.kept : isDone ? statuses.after : statuses.before;
            if (counts === statuses.after) sentAfter += 1;
            const enter = doors[Math.floor(turn / 6) % doors.length] as Door;
            count(counts, await enter(service.at(turn).url, leaver.cookie, orgId));
          },
        );
      }

      expect([...statuses.kept.keys()]).toEqual([200]);
      expect([...statuses.after.keys()].sort()).toEqual(refusals);
      expect(statuses.before.get(200)).toBeGreaterThan(ROUNDS);
    },
  );
});

describe('1,000 sessions of an organization that admits no pause of five minutes, over three replicas', () => {
  const SESSIONS = 1_000;
  let orgId: string;
  let people: Person[];
  beforeAll(async () => {
    orgId = await emptyOrg(database);
    await database.rows('UPDATE organizations SET policy_idle_minutes = 5 WHERE id = $1', [orgId]);
    people = await crowd(database, SESSIONS, { orgId });
  });

  /** Lets the time pass for all sessions, as if none of them had been used since. */
  const pause = (time: string) =>
    database.rows(
      `UPDATE sessions SET last_seen_at = now() - $1::interval, longest_idle = 0
        WHERE user_id IN (SELECT user_id FROM memberships WHERE org_id = $2)`,
      [time, orgId],
    );

  /** How often each status came. */
  async function statusesAt(path: string): Promise<Record<number, number>> {
    const counts: Record<number, number> = {};
    await work(
      (turn) => turn >= SESSIONS,
      async (turn) => {
        const { cookie } = people[turn] as Person;
        const status = await statusOf('GET', service.at(turn).url + path, { cookie });
        counts[status] = (counts[status] ?? 0) + 1;
      },
    );
    return counts;
  }

  it('lets each of them in after five minutes', async () => {
    await pause('5 minutes');

    expect(await statusesAt(`/orgs/${orgId}`)).toEqual({ 200: SESSIONS });
  });

  it('refuses each of them after five minutes and 65 seconds, whatever else it asked for in between', async () => {
    await pause('365 seconds');
    expect(await statusesAt('/users/me')).toEqual({ 200: SESSIONS });
    expect(await statusesAt(`/orgs/${orgId}`)).toEqual({ 403: SESSIONS });
    // By now the service has noted that it saw them.
    const unseen = `SELECT count(*)::int FROM sessions s JOIN memberships m USING (user_id)
                     WHERE m.org_id = $1 AND s.last_seen_at < now() - interval '1 minute'`;
    await until(async () => (await database.value(unseen, [orgId])) === 0);

    expect(await statusesAt(`/orgs/${orgId}`)).toEqual({ 403: SESSIONS });
  });
});
