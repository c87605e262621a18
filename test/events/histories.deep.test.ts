import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Role } from '../../src/http/role.js';
import { PASSWORD } from '../support/accounts.js';
import { crowd, emptyOrg, invitationFor, type Person } from '../support/crowd.js';
import { EventTable, type EventUser } from '../support/event-table.js';
import { send } from '../support/send.js';
import { Replicas } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { changeDeliveries } from '../support/webhook-receiver.js';
import { newSecret, webhooks } from '../support/webhooks.js';

const AT_ONCE = 50;
/** `npm run test:histories` plays a thousand. */
const RUNS = Number(process.env.LATCHKEY_HISTORIES ?? 100) / AT_ONCE;

const REPLICAS = 3;

/** Longer than a lease, and than any pause. */
const A_WHILE_SECONDS = 65;

/** What users do, and admins do to them. */
const ACTS = [
  'rename',
  'found',
  'join',
  'suspend',
  'resume',
  'remove',
  'leave',
  'delete me',
  'disable',
  'enable',
  'promote',
  'demote',
  'delete',
] as const;

/**
 * What happens to an attempt: the back end takes the event; it is lost before it arrives, or the back end fails; it
 * arrives, but the answer is lost, so that it comes twice; it is held up, after which the back end answers that it has it
 * or not, and arrives after all others; or it takes a while.
 */
const FATES = ['taken', 'lost', 'failed', 'doubled', 'late', 'late and doubled', 'slow'] as const;
type Fate = (typeof FATES)[number];

/** One user's history. */
type History = (typeof ACTS)[number][];

const histories = fc.array(fc.array(fc.constantFrom(...ACTS), { minLength: 1, maxLength: 6 }), {
  minLength: AT_ONCE,
  maxLength: AT_ONCE,
});
const fates = fc.array(fc.constantFrom(...FATES), { minLength: 4 * AT_ONCE, maxLength: 8 * AT_ONCE });
/** A replica is killed after so many acts, of the two that each user does at least; several may be down at once, but one stays. */
const kills = fc.array(fc.integer({ min: 1, max: 2 * AT_ONCE }), { minLength: 1, maxLength: REPLICAS - 1 });
const order = fc.array(fc.nat(100), { minLength: 20, maxLength: 20 });

/** What has to happen before an act, so that the service does it. */
const BEFORE = {
  leave: ['found'],
  suspend: ['join'],
  resume: ['join', 'suspend'],
  remove: ['found', 'join'],
} satisfies Partial<Record<History[number], History>>;

/** Played first, where no kill leaves an act undone: each act once, and each fate. The others are chosen at random. */
const EACH_ONCE: [History[], Fate[], number[], number[]] = [
  ACTS.map((name) => (name in BEFORE ? [BEFORE[name as keyof typeof BEFORE], name].flat() : [name])),
  [...FATES],
  [],
  [0],
];

/** The product's back end, to which the network and its own faults do what a run says. */
class BackEndInTrouble {
  readonly secret = newSecret();
  readonly table = new EventTable([this.secret]);
  fates: Fate[] = [];

  /** Which attempts had which fate, so that a run cannot pass because nothing went wrong. */
  readonly seen = new Map<Fate, number>();
  private heldUp: (() => void)[] = [];
  private readonly server = createServer(async (request, response) => {
    const body = await text(request);
    const take = () => void this.table.take(body, request.headers as IncomingHttpHeaders);
    await this.suffer(this.fates.shift() ?? 'taken', take, response);
  });

  async start(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    this.server.unref();
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** What was held up arrives, in any order. */
  release(order: number[]): void {
    const places = this.heldUp.map((take, index) => ({ take, place: order[index % order.length] ?? 0 }));
    this.heldUp = [];
    for (const { take } of places.sort((a, b) => a.place - b.place)) take();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async suffer(fate: Fate, take: () => void, response: ServerResponse): Promise<void> {
    this.seen.set(fate, (this.seen.get(fate) ?? 0) + 1);
    if (fate === 'slow') await setTimeout(200);
    if (['taken', 'doubled', 'slow'].includes(fate)) take();
    if (fate.startsWith('late')) this.heldUp.push(take);

    if (fate === 'lost' || fate === 'doubled') response.destroy();
    else response.writeHead(fate === 'failed' || fate === 'late and doubled' ? 500 : 204).end();
  }
}

let backEnd: BackEndInTrouble;
let database: TestDatabase;
let service: Replicas;
let admin: Person;
/** An organization that a person may join beside their own. */
let orgId: string;
let turns = 0;
let killed = 0;
beforeAll(async () => {
  backEnd = new BackEndInTrouble();
  database = await TestDatabase.create();
  const endpoint = { name: 'product', url: await backEnd.start(), secrets: [backEnd.secret] };
  service = await Replicas.start(database, REPLICAS, { ...webhooks(endpoint), SVC_ORGS_PER_USER: '3' });
  [admin] = (await crowd(database, 2, { role: Role.SYSTEM_ADMIN })) as [Person];
  orgId = await emptyOrg(database);
  await crowd(database, 1, { role: Role.ORG_ADMIN, orgId });
  await database.rows('UPDATE sessions SET authenticated_at = now()');
});
afterAll(async () => {
  await service.kill();
  await backEnd.close();
  await database.close();
});

/** Asks the replica whose turn it is, and the next one where that was killed or has too much to do. */
async function ask(method: string, path: string, { cookie }: Person, body?: unknown): Promise<Response> {
  for (;;) {
    const answer = await send(method, service.at(turns++).url + path, { cookie, body }).catch(() => null);
    if (answer !== null && answer.status !== 503) return answer;
    await answer?.arrayBuffer();
    await setTimeout(20);
  }
}

/** Which acts the service did, so that a run cannot pass because it refused one of them each time. */
const done = new Set<string>();

/** Does an act, which the service may refuse: then it changes nothing. */
async function act(name: History[number], person: Person): Promise<void> {
  const { id } = person;
  const path = `/users/${id}`;
  const member = `/orgs/${orgId}/members/${id}`;
  const answer = await {
    rename: () => ask('PATCH', '/users/me', person, { name: `Ada ${turns}` }),
    found: () => ask('POST', '/users/me/org', person, { name: 'Initech' }),
    join: async () => {
      // One that was refused is still open.
      await database.rows('DELETE FROM invitations WHERE email = $1', [person.email]);
      const token = await invitationFor(database, person.email, orgId);
      return ask('POST', '/invitations/accept', person, { token });
    },
    suspend: () => ask('PATCH', member, admin, { suspended: true }),
    resume: () => ask('PATCH', member, admin, { suspended: false }),
    remove: () => ask('DELETE', member, admin),
    leave: async () => {
      const one = 'SELECT org_id FROM memberships WHERE user_id = $1 ORDER BY org_id LIMIT 1';
      return ask('DELETE', `/orgs/${(await database.value(one, [id])) ?? id}/members/${id}`, person);
    },
    'delete me': () => ask('DELETE', '/users/me', person, { current_password: PASSWORD }),
    disable: () => ask('PATCH', path, admin, { disabled: true }),
    enable: () => ask('PATCH', path, admin, { disabled: false }),
    promote: () => ask('PATCH', path, admin, { role: Role.SYSTEM_ADMIN }),
    demote: () => ask('PATCH', path, admin, { role: Role.READONLY }),
    delete: () => ask('DELETE', path, admin),
  }[name]();
  await answer.arrayBuffer();
  expect(answer.status).toBeLessThan(500);
  if (answer.ok) done.add(name);
}

/** Plays histories at once, in each of which the user changes their name first: before, no event told of them. */
async function live(played: History[], people: Person[], killsAt: number[]): Promise<void> {
  let acts = 0;
  const restarts: Promise<void>[] = [];
  const turn = async (name: History[number], person: Person) => {
    await act(name, person);
    acts += 1;
    for (const at of killsAt) if (at === acts) restarts.push(killOne(restarts.length));
  };
  const lived = played.map(async (history, index) => {
    for (const name of ['rename' as const, ...history]) await turn(name, people[index] as Person);
  });
  await Promise.all(lived).finally(() => Promise.all(restarts));
}

async function killOne(which: number): Promise<void> {
  const replica = service.at(which);
  killed += 1;
  await replica.kill();
  await replica.restart();
}

/** Lets time pass until no delivery waits. */
async function deliverAll(): Promise<void> {
  const by = `interval '${A_WHILE_SECONDS} seconds'`;
  await until(async () => {
    if (!(await database.value('SELECT EXISTS (SELECT FROM webhook_deliveries WHERE finished_at IS NULL)')))
      return true;
    await changeDeliveries(
      database,
      `UPDATE webhook_outages SET paused_until = paused_until - ${by};
       UPDATE webhook_deliveries SET due_at = due_at - ${by}, leased_until = leased_until - ${by}
        WHERE finished_at IS NULL;
       NOTIFY webhook_deliveries`,
    );
    await setTimeout(300);
    return false;
  });
}

/** The users among some people, as GET /users has them, without their last logins: those are no events. */
async function usersAmong(people: Person[]): Promise<Map<string, NonNullable<EventUser>>> {
  const answer = await ask('GET', `/users?limit=100&ids=${people.map(({ id }) => id).join()}`, admin);
  const { data } = (await answer.json()) as {
    data: (NonNullable<EventUser> & { last_login_at: string; org_name: string })[];
  };
  return new Map(data.map(({ last_login_at: _, org_name: __, ...user }) => [user.id, user]));
}

describe('histories whose deliveries are lost, doubled, late and permuted, while replicas are killed', () => {
  it('each end in the back end knowing what GET /users says', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fates, kills, order, async (played, suffered, killsAt, places) => {
        const people = await crowd(database, played.length);
        backEnd.fates = [...suffered];

        await live(played, people, killsAt);
        await deliverAll();
        backEnd.release(places);

        const users = await usersAmong(people);
        const known = new Map(
          [...backEnd.table.users].filter(([id]) => people.some((each) => each.id === id)),
        );
        expect(known).toEqual(users);
        expect(users.size).toBeGreaterThan(0);
      }),
      { numRuns: RUNS + 1, examples: [EACH_ONCE], endOnFailure: true },
    );

    expect([...backEnd.seen.keys()].sort()).toEqual([...FATES].sort());
    expect([...done].sort()).toEqual([...ACTS].sort());
    expect(killed).toBeGreaterThanOrEqual(RUNS);
    expect(await database.value(`SELECT count(*)::int FROM webhook_deliveries WHERE outcome <> 'sent'`)).toBe(
      0,
    );
    expect(await database.value('SELECT max(attempts) FROM webhook_deliveries')).toBeGreaterThan(1);
  }, 900_000);
});
