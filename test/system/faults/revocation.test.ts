import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { Role } from '../../../src/http/role.js';
import { PASSWORD } from '../../support/accounts.js';
import { crowd, type Person } from '../../support/crowd.js';
import { Forwarder } from '../../support/forwarder.js';
import { cookiesOf, send, statusOf } from '../../support/send.js';
import { Replicas } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';

/** People a change is made to, and requests of each after it: with the six changes below 10,080. */
const PEOPLE = 40;
const REQUESTS_AFTER = 42;

/** More changes at once would wait for each other's locks longer than a request may. */
const CHANGES_AT_ONCE = 4;

let database: TestDatabase;
let forwarder: Forwarder;
let service: Replicas;
let admin: Person;
let orgId: string;
beforeAll(async () => {
  database = await TestDatabase.create();
  forwarder = await Forwarder.to(Number(new URL(database.url).port), { isUneven: true });
  service = await Replicas.start(database, 3, { SVC_DATABASE_URL: forwarder.through(database.url) });
  orgId = randomUUID();
  await database.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'Initech')`, [orgId]);
  [admin] = (await crowd(database, 1, { role: Role.SYSTEM_ADMIN })) as [Person];
  // Who changes an account must have logged in lately.
  await database.rows('UPDATE sessions SET authenticated_at = now()');
});
afterAll(async () => {
  await service.kill();
  await forwarder.close();
  await database.close();
});

/** A change at one of the replicas that ends what a user may do. */
type Change = (url: string, person: Person) => Promise<Response>;

const logOut: Change = (url, { cookie }) => send('POST', `${url}/auth/logout`, { cookie });
const endOthers: Change = async (url, { email }) => {
  const login = await send('POST', `${url}/auth/login`, { body: { email, password: PASSWORD } });
  const cookie = cookiesOf(login);
  return send('DELETE', `${url}/sessions`, { cookie });
};
const changePassword: Change = (url, { cookie }) => {
  const body = { current_password: PASSWORD, new_password: `${PASSWORD}, and another` };
  return send('POST', `${url}/password/update`, { cookie, body });
};
const administer =
  (body: object): Change =>
  (url, { id }) =>
    send('PATCH', `${url}/users/${id}`, { cookie: admin.cookie, body });
const removeMember: Change = (url, { id }) =>
  send('DELETE', `${url}/orgs/${orgId}/members/${id}`, { cookie: admin.cookie });

/**
 * Makes a change to a user at one replica, and then asks all of them; returns the answers of after the change. All are
 * asked all along, so that lookups are under way when the change is made: they must answer no request that comes later.
 */
async function answersAfter(change: Change, person: Person, path: string, turn: number): Promise<number[]> {
  const ask = (index: number) => statusOf('GET', service.at(index).url + path, person);
  let isMade = false;
  const askAllAlong = async (index: number) => {
    while (!isMade) await ask(index);
  };
  const allAlong = service.replicas.map((_, index) => askAllAlong(index));

  const made = await change(service.at(turn).url, person);
  isMade = true;
  const after = await Promise.all(Array.from({ length: REQUESTS_AFTER }, (_, index) => ask(index)));
  await Promise.all(allAlong);
  expect(made.ok).toBe(true);
  return after;
}

describe('from its answer on, at every replica,', () => {
  it.each([
    ['a logout', logOut, '/users/me', 401],
    ['the end of all other sessions', endOthers, '/users/me', 401],
    ['a new password', changePassword, '/users/me', 401],
    ['the end of an account', administer({ disabled: true }), '/users/me', 401],
    ['another role', administer({ role: 'member' }), '/users', 403],
    ['the removal from an organization', removeMember, '/orgs/:org_id', 404],
  ])('%s takes effect', async (_, change, path, refusal) => {
    const people = await crowd(database, PEOPLE, path === '/users' ? { role: Role.SYSTEM_ADMIN } : { orgId });

    const inTurn = pLimit(CHANGES_AT_ONCE);
    const answers = await Promise.all(
      people.map((person, turn) =>
        inTurn(() => answersAfter(change, person, path.replace(':org_id', orgId), turn)),
      ),
    );

    const accepted = answers.flat().filter((status) => status !== refusal);
    expect([answers.flat().length, accepted]).toEqual([PEOPLE * REQUESTS_AFTER, []]);
  });
});
