import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../../src/http/role.js';
import { ACCOUNTS, freshAddress } from '../../support/accounts.js';
import { crowd, emptyOrg, invitationFor, type Person } from '../../support/crowd.js';
import { statusOf } from '../../support/send.js';
import { Replicas } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { expectOneWinner, inRounds, race, raceTo } from './race.js';

let database: TestDatabase;
let service: Replicas;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await Replicas.start(database, 2, { SVC_LIMIT_FOUND_PER_USER: '1000/1d' });
});
afterAll(async () => {
  await service.kill();
  await database.close();
});

const personIn = async (orgId: string | null = null, role = Role.MEMBER) =>
  (await crowd(database, 1, { orgId, role }))[0] as Person;

/** The organizations of a name, with the number of their members. */
const orgsNamed = (name: string) =>
  database.rows(
    `SELECT (SELECT count(*)::int FROM memberships m WHERE m.org_id = o.id) AS members
       FROM organizations o WHERE name = $1`,
    [name],
  );

describe('of 32 requests to found an organization at once', () => {
  it('one founds it', () =>
    inRounds(async () => {
      const [founder, name] = [await personIn(), freshAddress()];

      expectOneWinner(await raceTo(service, '/users/me/org', { name }, founder.cookie), 201);

      expect(await orgsNamed(name)).toEqual([{ members: 1 }]);
    }));

  it('and to accept an invitation elsewhere, one wins, and leaves one organization to the user', () =>
    inRounds(async () => {
      const [founder, name, other] = [await personIn(), freshAddress(), await emptyOrg(database)];
      const token = await invitationFor(database, founder.email, other);

      const statuses = await race(service, (url, runner) =>
        runner % 4 < 2
          ? statusOf('POST', `${url}/users/me/org`, { body: { name }, cookie: founder.cookie })
          : statusOf('POST', `${url}/invitations/accept`, { body: { token }, cookie: founder.cookie }),
      );

      const [won, ...more] = statuses.filter((status) => status < 400);
      expect({ more, faults: statuses.filter((status) => status >= 500) }).toEqual({ more: [], faults: [] });
      expect(await orgsNamed(name)).toEqual(won === 201 ? [{ members: 1 }] : []);
      const orgId = await database.value(`SELECT org_id FROM ${ACCOUNTS} WHERE id = $1`, [founder.id]);
      expect(orgId === other).toBe(won === 200);
    }));
});

describe('an organization that its last members leave', () => {
  const leave = (url: string, orgId: string, { id, cookie }: Person) =>
    statusOf('DELETE', `${url}/orgs/${orgId}/members/${id}`, { cookie });
  const isLeft = (orgId: string) =>
    database.value('SELECT EXISTS (SELECT FROM organizations WHERE id = $1)', [orgId]);

  it('ends once both are gone, whoever goes first', () =>
    inRounds(async () => {
      const orgId = await emptyOrg(database);
      const members = [await personIn(orgId), await personIn(orgId)];

      const statuses = await race(service, (url, runner) =>
        leave(url, orgId, members[Math.floor(runner / 2) % 2] as Person),
      );

      expect(statuses.filter((status) => status === 204)).toHaveLength(2);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      expect(await isLeft(orgId)).toBe(false);
    }));

  it('ends, or stays with the person who accepts an invitation to it at that moment', () =>
    inRounds(async () => {
      const orgId = await emptyOrg(database);
      const [leaving, joining] = [await personIn(orgId, Role.ORG_ADMIN), await personIn()];
      const token = await invitationFor(database, joining.email, orgId);

      const statuses = await race(service, (url, runner) =>
        runner % 4 < 2
          ? leave(url, orgId, leaving)
          : statusOf('POST', `${url}/invitations/accept`, { body: { token }, cookie: joining.cookie }),
      );

      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      const hasJoined = statuses.includes(200);
      // The only admin may not leave a member behind.
      expect(statuses.includes(204)).toBe(!hasJoined);
      expect(await isLeft(orgId)).toBe(hasJoined);
      const orgs = await database.rows(`SELECT org_id FROM ${ACCOUNTS} WHERE id = ANY ($1) ORDER BY org_id`, [
        [leaving.id, joining.id],
      ]);
      expect(orgs.map(({ org_id }) => org_id)).toEqual(hasJoined ? [orgId, orgId] : [null, null]);
    }));
});
