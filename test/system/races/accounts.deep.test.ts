import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../../src/http/role.js';
import { freshAddress, PASSWORD } from '../../support/accounts.js';
import { crowd, emptyOrg, type Person } from '../../support/crowd.js';
import { MailapiStandIn } from '../../support/mailapi-stand-in.js';
import { statusOf } from '../../support/send.js';
import { Replicas } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';
import { expectOneWinner, inRounds, race, raceTo } from './race.js';

let mailapi: MailapiStandIn;
let database: TestDatabase;
let service: Replicas;
beforeAll(async () => {
  [mailapi, database] = await Promise.all([MailapiStandIn.start(), TestDatabase.create()]);
  service = await Replicas.start(database, 2, mailapi.variables);
});
afterAll(async () => {
  await service.kill();
  await mailapi.close();
  await database.close();
});

/** The subjects of the mails to an address, once all that was asked for has been sent. */
async function mailsTo(address: string): Promise<string[]> {
  const isAnyUnsent = `SELECT EXISTS (SELECT FROM link_requests)
                           OR EXISTS (SELECT FROM outbox_mails WHERE finished_at IS NULL)`;
  await until(async () => !(await database.value(isAnyUnsent)));
  return mailapi.delivered.filter(({ to }) => to === address).map(({ subject }) => subject);
}

describe('of 32 requests that sign one address up at once, five', () => {
  it.each(['/auth/signup', '/auth/signup-org'])(
    'are mailed a link to their signup by %s, and the others share one',
    (path) =>
      inRounds(async () => {
        const email = freshAddress();
        const org = path === '/auth/signup' ? {} : { org_name: email };

        const statuses = await raceTo(service, path, { email, password: PASSWORD, ...org });

        expect(new Set(statuses)).toEqual(new Set([202]));
        expect(await mailsTo(email)).toEqual(Array(5).fill('Confirm your email address'));
        const links = await database.rows(
          'SELECT cardinality(token_hashes) AS links FROM signups WHERE email = $1 ORDER BY created_at',
          [email],
        );
        expect(links.map((row) => row.links)).toEqual([1, 1, 1, 1, 1, 0]);
      }),
  );
});

describe('of 32 mails that wait for two replicas at once, each', () => {
  it('is sent once', () =>
    inRounds(async () => {
      const people = await crowd(database, 32);
      await race(service, (url, runner) =>
        statusOf('POST', `${url}/password/forgot`, { body: { email: people[runner]?.email } }),
      );

      for (const { email } of people) expect(await mailsTo(email)).toHaveLength(1);
    }));
});

describe('of two admins who leave at once, one stays', () => {
  /** Lets both leave 16 times each. */
  const departures = (admins: Person[], leave: (url: string, admin: Person) => Promise<number>) =>
    race(service, (url, runner) => leave(url, admins[Math.floor(runner / 2) % 2] as Person));

  it.each<[string, (url: string, orgId: string, admin: Person) => Promise<number>]>([
    [
      'as a member',
      (url, orgId, { id, cookie }) => statusOf('DELETE', `${url}/orgs/${orgId}/members/${id}`, { cookie }),
    ],
    ['with the account', (url, _, { cookie }) => deleteAccount(url, cookie)],
  ])('of an organization, %s', (_, leave) =>
    inRounds(async () => {
      const orgId = await emptyOrg(database);
      await crowd(database, 1, { orgId });
      const admins = await crowd(database, 2, { orgId, role: Role.ORG_ADMIN });

      expectOneWinner(await departures(admins, (url, admin) => leave(url, orgId, admin)), 204);
      const left = `SELECT role FROM memberships WHERE org_id = $1 ORDER BY role`;
      expect(await database.rows(left, [orgId])).toEqual([{ role: 'member' }, { role: 'org_admin' }]);
    }),
  );

  it('of the service', () =>
    inRounds(async () => {
      await database.rows(`UPDATE users SET own_role = 'member' WHERE own_role = 'sys_admin'`);
      const admins = await crowd(database, 2, { role: Role.SYSTEM_ADMIN });

      expectOneWinner(await departures(admins, (url, { cookie }) => deleteAccount(url, cookie)), 204);
      expect(await database.rows(`SELECT 1 FROM users WHERE own_role = 'sys_admin'`)).toHaveLength(1);
    }));
});

function deleteAccount(url: string, cookie: string): Promise<number> {
  return statusOf('DELETE', `${url}/users/me`, { cookie, body: { current_password: PASSWORD } });
}
