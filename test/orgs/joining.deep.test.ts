import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Browser } from '../support/browser.js';
import { crowd, emptyOrg, invitationFor, type Person } from '../support/crowd.js';
import { callbackAs, type IdentityProvider, startWithProvider } from '../support/identity-provider.js';
import { TestApp } from '../support/test-app.js';

// Of all that a user accepts at once over two replicas, as many succeed as there is room for.

const CAP = 5;
const BEFORE = 2;
const AT_ONCE = 32;
const ROUNDS = 50;

let app: TestApp;
let replica: TestApp;
let provider: IdentityProvider;
let stop: () => Promise<void>;
beforeAll(async () => {
  const settings = { SVC_ORGS_PER_USER: String(CAP), SVC_RATE_LIMITS: 'off' };
  ({ app, provider, stop } = await startWithProvider(settings));
  replica = await TestApp.start(settings, { database: app.database });
});
afterAll(async () => {
  await replica.nest.close();
  await stop();
});

const orgsOf = async ({ id }: Person): Promise<string[]> =>
  (await app.database.rows('SELECT org_id FROM memberships WHERE user_id = $1', [id])).map(
    ({ org_id }) => org_id,
  );

async function newOrgs(count: number): Promise<string[]> {
  const rows = await app.database.rows(
    `INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'Initech' FROM generate_series(1, $1) RETURNING id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

const join = ({ id }: Person, orgIds: string[]) =>
  app.database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by)
     SELECT $1, org_id, 'member', 'invitation' FROM unnest($2::uuid[]) AS org_id`,
    [id, orgIds],
  );

describe(`${AT_ONCE} invitations that a user of ${BEFORE} organizations accepts at once, where ${CAP} are the most`, () => {
  it(`join ${CAP - BEFORE} more in each of ${ROUNDS} rounds, and the others stay good`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [user] = (await crowd(app.database, 1)) as [Person];
      const orgIds = await newOrgs(AT_ONCE + BEFORE);
      await join(user, orgIds.splice(0, BEFORE));
      const tokens = await Promise.all(orgIds.map((orgId) => invitationFor(app.database, user.email, orgId)));

      const answers = await Promise.all(
        tokens.map((token, index) =>
          new Browser((index % 2 === 0 ? app : replica).nest).post(
            '/invitations/accept',
            { token },
            { cookie: user.cookie },
          ),
        ),
      );

      const count = (expected: string) =>
        answers.filter(({ status, body }) => `${status} ${body.code ?? ''}`.trim() === expected).length;
      expect({ joined: count('200'), refused: count('409 TooManyOrganizations') }).toEqual({
        joined: CAP - BEFORE,
        refused: AT_ONCE - (CAP - BEFORE),
      });
      expect(await orgsOf(user)).toHaveLength(CAP);
      const open = await app.database.value(
        'SELECT count(*)::int FROM invitations WHERE email = $1 AND accepted_at IS NULL',
        [user.email],
      );
      expect(open).toBe(AT_ONCE - (CAP - BEFORE));
    }
  });
});

describe('one invitation that is accepted twice at once', () => {
  it('makes one membership', async () => {
    const [user] = (await crowd(app.database, 1)) as [Person];
    const token = await invitationFor(app.database, user.email, await emptyOrg(app.database));

    const answers = await Promise.all(
      [app, replica].map(({ nest }) =>
        new Browser(nest).post('/invitations/accept', { token }, { cookie: user.cookie }),
      ),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await orgsOf(user)).toHaveLength(1);
  });
});

describe('an invitation that a user of another organization accepts through the provider', () => {
  const accept = async (user: Person) => {
    const orgId = await emptyOrg(app.database);
    const token = await invitationFor(app.database, user.email, orgId);
    const browser = app.browser();
    const who = { sub: user.id, email: user.email, email_verified: true };
    const { headers } = await browser.get(
      await callbackAs(provider, browser, who, `?invitation_token=${token}`),
    );
    return { orgId, location: String(headers.location) };
  };

  it('joins that one too, and is a conflict at the cap', async () => {
    const [user] = (await crowd(app.database, 1)) as [Person];
    await join(user, await newOrgs(CAP - 1));

    const { orgId, location } = await accept(user);
    expect(location).not.toContain('error');
    expect(await orgsOf(user)).toContain(orgId);

    expect((await accept(user)).location).toContain('error=invitation_conflict');
    expect(await orgsOf(user)).toHaveLength(CAP);
  });
});
