import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auc, shuffled } from '../bench/statistics.js';
import { crowd, emptyOrg, type Person } from '../support/crowd.js';
import { answerTo } from '../support/send.js';
import { ServiceProcess, START_PATIENCE_MS } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';

/** Of each: by chance alone, an AUC leaves the range below once in millions of runs. */
const SAMPLES = 2_000;
/** What the first requests take says nothing. */
const WARM_UP = 300;

let database: TestDatabase;
let service: ServiceProcess;
let agent: Agent;
/** A user of two organizations, those of others, and as many ids of none. */
let member: Person;
let foreign: string[];
let unknown: string[];
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await ServiceProcess.start(database, { SVC_RATE_LIMITS: 'off' });
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  [member] = (await crowd(database, 1, { orgId: await emptyOrg(database) })) as [Person];
  const [other] = (await crowd(database, 1)) as [Person];
  await join(member, [await emptyOrg(database)]);
  // Each is asked for once: the service keeps what it has checked of a proxy's rule, and answers the same rule sooner.
  const ids = 'SELECT gen_random_uuid() AS id FROM generate_series(1, $1)';
  const made = `INSERT INTO organizations (id, name) SELECT id, 'Initech' FROM (${ids}) AS ids RETURNING id`;
  foreign = (await database.rows(made, [WARM_UP + SAMPLES])).map(({ id }) => id);
  unknown = (await database.rows(ids, [SAMPLES])).map(({ id }) => id);
  await join(other, foreign);
}, START_PATIENCE_MS);
afterAll(async () => {
  agent.destroy();
  await service.kill();
  await database.close();
});

const join = ({ id }: Person, orgIds: string[]) =>
  database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by)
     SELECT $1, org_id, 'member', 'invitation' FROM unnest($2::uuid[]) AS org_id`,
    [id, orgIds],
  );

/** Where a request says which organization it is for, and how one is refused there. */
interface Door {
  status: number;
  to: (orgId: string) => { path: string; headers?: Record<string, string> };
}

const header = (orgId: string) => ({ 'latchkey-org': orgId });

const DOORS: Record<string, Door> = {
  'in the header': { status: 404, to: (orgId) => ({ path: '/users/me', headers: header(orgId) }) },
  'in the path': { status: 404, to: (orgId) => ({ path: `/orgs/${orgId}` }) },
  'in the path and in the header': {
    status: 404,
    to: (orgId) => ({ path: `/orgs/${orgId}/members`, headers: header(orgId) }),
  },
  'in the rule of a proxy': { status: 403, to: (orgId) => ({ path: `/sessions/verify?org=${orgId}` }) },
};

/** The whole answer, without what differs in any two. */
async function bytesOf({ to }: Door, orgId: string): Promise<string> {
  const { path, headers = {} } = to(orgId);
  const sent = { host: 'localhost', cookie: member.cookie, connection: 'close', ...headers };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = await answerTo(service.port, `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const { 'x-request-id': id = '', date: _, ...rest } = answer.headers;
  expect(id).toHaveLength(36);
  return JSON.stringify({ ...answer, headers: rest }).replaceAll(id, 'the id of the request');
}

/** Milliseconds from a request to the end of its answer. */
function timeOf({ to, status }: Door, orgId: string): Promise<number> {
  const { path, headers } = to(orgId);
  const options = { agent, headers: { cookie: member.cookie, ...headers } };
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    request(service.url + path, options, (answer) => {
      if (answer.statusCode !== status) reject(new Error(`${path} was answered ${answer.statusCode}`));
      answer.resume().on('end', () => resolve(performance.now() - startedAt));
    })
      .on('error', reject)
      .end();
  });
}

describe.each(Object.entries(DOORS))('an organization of others, named %s,', (_, door) => {
  it('is answered in the same bytes as one that does not exist', async () => {
    const theirs = await bytesOf(door, String(foreign[0]));

    expect(JSON.parse(theirs).statusCode).toBe(door.status);
    expect(theirs).toBe(await bytesOf(door, randomUUID()));
  });

  it('takes as long as one that does not exist', async () => {
    const [first, rest] = [foreign.slice(0, WARM_UP), foreign.slice(WARM_UP)];
    for (const orgId of first) await timeOf(door, orgId);
    const turns = [
      ...rest.map((orgId) => ({ orgId, isThere: true })),
      ...unknown.map((orgId) => ({ orgId, isThere: false })),
    ];

    const times: Record<'foreign' | 'unknown', number[]> = { foreign: [], unknown: [] };
    for (const { orgId, isThere } of shuffled(turns))
      times[isThere ? 'foreign' : 'unknown'].push(await timeOf(door, orgId));

    const revealed = auc(times.foreign, times.unknown);
    expect(revealed).toBeGreaterThan(0.45);
    expect(revealed).toBeLessThan(0.55);
  });
});
