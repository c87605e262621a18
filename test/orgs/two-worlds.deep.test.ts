import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Role } from '../../src/http/role.js';
import { PASSWORD } from '../support/accounts.js';
import { type Answer, Browser } from '../support/browser.js';
import { crowd, emptyOrg, type Person } from '../support/crowd.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

// An admin of an organization is told the same whether or not a member also belongs elsewhere: every answer, mail and event.

/** `npm run test:histories` plays a thousand. */
const HISTORIES = Number(process.env.LATCHKEY_HISTORIES ?? 100);
const STEPS = 12;

/** What is written a moment after the request: its place among other events is compared at the end. */
const LATE = ['member.entered', 'access.refused'];

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_APP_MODE: 'b2b', SVC_ORGS_PER_USER: '5', SVC_RATE_LIMITS: 'off' });
});
afterAll(() => app.close());

/** An organization with two admins and a member, who in one of two worlds belongs to another organization as well. */
interface World {
  orgId: string;
  admin: Person;
  peer: Person;
  member: Person;
  other: { orgId: string; admin: Person } | null;
  /** What its admin was answered. */
  answers: unknown[];
}

async function newWorld(hasOther: boolean): Promise<World> {
  const orgId = await emptyOrg(app.database);
  await app.database.rows(`UPDATE organizations SET created_at = now() - interval '1 day' WHERE id = $1`, [
    orgId,
  ]);
  const [admin, peer] = (await crowd(app.database, 2, { role: Role.ORG_ADMIN, orgId })) as [Person, Person];
  const [member] = (await crowd(app.database, 1, { orgId })) as [Person];
  return { orgId, admin, peer, member, other: hasOther ? await newOther(member) : null, answers: [] };
}

async function newOther(member: Person): Promise<World['other']> {
  const orgId = await emptyOrg(app.database);
  const [admin] = (await crowd(app.database, 1, { role: Role.ORG_ADMIN, orgId })) as [Person];
  await app.database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'org_admin', 'invitation')`,
    [member.id, orgId],
  );
  return { orgId, admin };
}

type Method = Parameters<Browser['send']>[0];

const send = ({ cookie }: { cookie: string }, method: Method, path: string, body?: object, orgId?: string) =>
  new Browser(app.nest).send(method, path, body, { cookie, ...(orgId && { 'latchkey-org': orgId }) });

type Act = (world: World) => Promise<Answer>;

const asAdmin =
  (method: Method, path: (world: World) => string, body?: object): Act =>
  (world) =>
    send(world.admin, method, path(world), body, world.orgId);

const membersOf = ({ orgId }: World) => `/orgs/${orgId}/members`;
const memberOf = (world: World) => `${membersOf(world)}/${world.member.id}`;

/** What the admin does, whose answers are compared. */
const ADMIN_ACTS: Act[] = [
  asAdmin('GET', membersOf),
  asAdmin('GET', (world) => `${membersOf(world)}?search=${world.member.email.slice(0, 12)}`),
  asAdmin('GET', (world) => `${membersOf(world)}/export`),
  asAdmin('GET', ({ orgId }) => `/orgs/${orgId}`),
  asAdmin('GET', ({ orgId }) => `/orgs/${orgId}/invitations`),
  asAdmin('GET', () => '/audit-events?scope=org&limit=100'),
  asAdmin('GET', ({ member }) => `/audit-events?scope=org&user_id=${member.id}`),
  asAdmin('GET', () => '/audit-events/export?scope=org'),
  asAdmin('PATCH', memberOf, { role: 'readonly' }),
  asAdmin('PATCH', memberOf, { role: 'member' }),
  asAdmin('PATCH', memberOf, { role: 'org_admin' }),
  asAdmin('PATCH', memberOf, { suspended: true }),
  asAdmin('PATCH', memberOf, { suspended: false }),
  asAdmin('DELETE', (world) => `${memberOf(world)}/factors`),
  asAdmin('DELETE', memberOf),
  (world) =>
    send(
      world.admin,
      'POST',
      `/orgs/${world.orgId}/invitations`,
      { email: world.member.email, role: 'member' },
      world.orgId,
    ),
  (world) => send(world.admin, 'GET', `/users/${world.member.id}`, undefined, world.orgId),
  (world) => send(world.admin, 'GET', `/sessions/verify?org=${world.orgId}`, undefined, world.orgId),
];

/** What the member does in both worlds. */
const MEMBER_ACTS: Act[] = [
  ({ member, orgId }) => send(member, 'GET', '/users/me', undefined, orgId),
  ({ member, orgId }) => send(member, 'GET', `/orgs/${orgId}/members`, undefined, orgId),
  ({ member, orgId }) => send(member, 'GET', `/orgs/${orgId}/invitations`, undefined, orgId),
  ({ member }) => send(member, 'PATCH', '/users/me', { name: 'Ada Lovelace' }),
  ({ member }) => send(member, 'GET', '/users'),
  ({ member }) => send(member, 'POST', '/auth/login', { email: member.email, password: PASSWORD }),
  ({ member }) => send(member, 'POST', '/auth/login', { email: member.email, password: 'wrong' }),
  ({ member }) => send(member, 'DELETE', '/sessions'),
  ({ member, orgId }) => send(member, 'DELETE', `/orgs/${orgId}/members/${member.id}`, undefined, orgId),
];

/** What happens in the other organization alone. */
const OTHER_ACTS: ((other: NonNullable<World['other']>, member: Person) => Promise<unknown>)[] = [
  ({ orgId }, member) => send(member, 'GET', `/orgs/${orgId}/invitations`, undefined, orgId),
  ({ orgId }, member) => send(member, 'GET', '/users/me', undefined, orgId),
  ({ orgId, admin }, member) =>
    send(admin, 'PATCH', `/orgs/${orgId}/members/${member.id}`, { role: 'readonly' }, orgId),
  ({ orgId, admin }, member) =>
    send(admin, 'PATCH', `/orgs/${orgId}/members/${member.id}`, { role: 'org_admin' }, orgId),
  ({ orgId, admin }, member) =>
    send(admin, 'PATCH', `/orgs/${orgId}/members/${member.id}`, { suspended: true }, orgId),
  ({ orgId, admin }, member) =>
    send(admin, 'PATCH', `/orgs/${orgId}/members/${member.id}`, { suspended: false }, orgId),
  ({ orgId, admin }, member) =>
    send(admin, 'DELETE', `/orgs/${orgId}/members/${member.id}/factors`, undefined, orgId),
  ({ orgId, admin }, member) =>
    send(admin, 'DELETE', `/orgs/${orgId}/members/${member.id}`, undefined, orgId),
  ({ orgId }, member) => send(member, 'DELETE', `/orgs/${orgId}/members/${member.id}`, undefined, orgId),
  ({ orgId }) =>
    app.database.rows('UPDATE organizations SET second_factor_required_at = now() WHERE id = $1', [orgId]),
  ({ orgId, admin }) => send(admin, 'DELETE', `/orgs/${orgId}`, undefined, orgId),
];

/** A text with names in place of what has another value in each world; when a member entered is noted late. */
function inNames({ orgId, admin, peer, member }: World, text: string): string {
  const names = { orgId, admin: admin.id, peer: peer.id, member: member.id };
  const addresses = { admin: admin.email, peer: peer.email, member: member.email };
  let named = text.replace(/[\u200b\u2060]/g, '');
  for (const [name, value] of [...Object.entries(names), ...Object.entries(addresses)])
    named = named.replaceAll(value, `<${name}>`);
  return named
    .replace(/"entered_at":(null|"[^"]*")/g, '')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/token=[\w-]+/g, 'token=<token>')
    .replace(/"request_id":"[^"]*"/g, '');
}

/** An answer without what is written a moment after its request. */
function withoutLate({ text }: Answer): string {
  if (text.startsWith('{')) {
    const body = JSON.parse(text);
    if (Array.isArray(body.data))
      body.data = body.data.filter(({ type = '' }: { type?: string }) => !LATE.includes(type));
    return JSON.stringify(body);
  }
  const lines = text.split('\r\n').filter((line) => !LATE.some((type) => line.includes(`"${type}"`)));
  // The last column of a file of members says when they entered.
  return lines
    .map((line) => (text.includes('"entered_at"') ? line.replace(/,"[^"]*"$/, '') : line))
    .join('\n');
}

/** A step of a history: the member or the admin does something, and perhaps something happens elsewhere before. */
const step = fc.record({
  elsewhere: fc.option(fc.constantFrom(...OTHER_ACTS)),
  act: fc.oneof(
    fc.record({ by: fc.constant('admin'), act: fc.constantFrom(...ADMIN_ACTS) }),
    fc.record({ by: fc.constant('member'), act: fc.constantFrom(...MEMBER_ACTS) }),
  ),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function played(world: World, steps: Step[]): Promise<World> {
  for (const {
    elsewhere,
    act: { by, act },
  } of steps) {
    if (world.other) await elsewhere?.(world.other, world.member);
    const answer = await act(world);
    if (by === 'admin') world.answers.push([answer.status, inNames(world, withoutLate(answer))]);
  }
  return world;
}

/** What the admins of an organization were told besides: events and mails. */
async function told(world: World) {
  const events = await app.database.rows(
    `SELECT type, actor_id, user_id, details::text FROM audit_events WHERE org_id = $1 ORDER BY type, actor_id = $2, id`,
    [world.orgId, world.admin.id],
  );
  const mails = [...(await app.mailbox.to(world.admin.email)), ...(await app.mailbox.to(world.peer.email))];
  return {
    events: events.map((event) => inNames(world, JSON.stringify(event))),
    mails: mails.map(({ subject, text }) => inNames(world, `${subject}\n${text}`)),
  };
}

/** How many of the late events each organization has. */
const late = async (): Promise<Map<string, number>> => {
  const rows = await app.database.rows(
    `SELECT org_id, count(*)::int FROM audit_events WHERE type = ANY ($1) GROUP BY org_id`,
    [LATE],
  );
  return new Map(rows.map(({ org_id, count }) => [org_id, count]));
};

describe(`${HISTORIES} random histories of a member in two worlds`, () => {
  it('read the same to the admins of their organization', async () => {
    const worlds: [World, World][] = [];
    const history = fc.array(step, { minLength: STEPS, maxLength: STEPS });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const alone = await played(await newWorld(false), steps);
        const beside = await played(await newWorld(true), steps);
        worlds.push([alone, beside]);
        expect(beside.answers).toEqual(alone.answers);
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    );

    await until(async () => {
      const found = await late();
      return worlds.every(([alone, beside]) => found.get(alone.orgId) === found.get(beside.orgId));
    });
    for (const [alone, beside] of worlds) expect(await told(beside)).toEqual(await told(alone));
  }, 900_000);
});
