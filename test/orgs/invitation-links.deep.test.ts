import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Role } from '../../src/http/role.js';
import {
  ACCOUNTS,
  freshAddress,
  giveRole,
  loggedIn,
  loggedInAs,
  PASSWORD,
  verified,
} from '../support/accounts.js';
import { Held, inLockStep } from '../support/lock-step.js';
import { foundOrg, invite, joinOrg, type Member, type TestOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await TestApp.start();
  org = await foundOrg(app);
  await aDayPasses(org.id);
});
afterAll(() => app.close());

const invitations = () => `/orgs/${org.id}/invitations`;
const preview = (token: string) => app.browser().post('/invitations/preview', { token });
const accept = (token: string, body: object = { password: PASSWORD }) =>
  app.browser().post('/invitations/accept', { token, ...body });
const aDayPasses = (orgId: string) =>
  app.database.rows(`UPDATE organizations SET created_at = created_at - interval '1 day' WHERE id = $1`, [
    orgId,
  ]);
const user = async (email: string) =>
  (await app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]))[0];

describe('POST /invitations/preview', () => {
  it('shows what the invitation offers, and whether the address has an account', async () => {
    const [stranger, known] = [freshAddress(), await verified(app)];
    const { id, admin } = await foundOrg(app, 'Difference');

    expect((await preview(await invite(app, admin, id, stranger, 'readonly'))).body).toEqual({
      inviter: admin.email,
      org_name: 'Difference',
      email: stranger,
      role: 'readonly',
      expires_at: expect.any(String),
      account_exists: false,
    });
    expect((await preview(await invite(app, admin, id, known))).body.account_exists).toBe(true);
    expect((await preview('never-issued')).body.code).toBe('InvalidToken');
  });
});

describe('POST /invitations/accept', () => {
  it('creates an account for an address that has none: verified, a member, and not logged in', async () => {
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email, 'readonly');

    const answer = await accept(token, { password: PASSWORD, name: 'Ada' });

    expect(answer).toMatchObject({
      status: 201,
      body: { user: { email, name: 'Ada', role: 'readonly', org_id: org.id, email_verified: true } },
      cookies: [],
    });
    await expect(loggedIn(app, email)).resolves.toBeDefined();
    expect((await accept(token)).body.code).toBe('InvalidToken');
  });

  it('asks an address without an account for a password, and refuses a weak one', async () => {
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email);

    expect((await accept(token, {})).body).toMatchObject({
      code: 'ValidationFailed',
      errors: [{ field: 'password' }],
    });
    expect((await accept(token, { password: 'password' })).body.code).toBe('WeakPassword');
    expect(await user(email)).toBeUndefined();
  });

  it('accepts the session of the account of the address, and no other', async () => {
    const email = await verified(app);
    const token = await invite(app, org.admin, org.id, email);
    const [self, stranger] = [await loggedIn(app, email), await loggedIn(app)];

    expect(await accept(token, {})).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(await accept(token)).toMatchObject({ status: 401 });
    const stale = await app.browser({ cookie: 'session_id=stale' }).post('/invitations/accept', { token });
    expect(stale.cookies[0]).toMatch(/^session_id=; Max-Age=0/);
    expect((await stranger.post('/invitations/accept', { token })).body.code).toBe('InvitationEmailMismatch');
    expect((await user(email)).org_id).toBeNull();

    expect(await self.post('/invitations/accept', { token })).toMatchObject({
      status: 200,
      body: { user: { org_id: org.id, role: 'member' } },
    });
    expect((await self.get(`/orgs/${org.id}`)).status).toBe(200);
  });

  it('does not move a user who belongs to an organization', async () => {
    const theirs = await foundOrg(app);
    const token = await invite(app, org.admin, org.id, theirs.member.email);

    const answer = await theirs.member.post('/invitations/accept', { token });

    expect(answer).toMatchObject({ status: 409, body: { code: 'AlreadyInOrganization' } });
    expect((await user(theirs.member.email)).org_id).toBe(theirs.id);
    expect((await preview(token)).status).toBe(200);
  });

  it('creates one membership when 32 requests accept at once, with and without an account', async () => {
    const [stranger, known] = [freshAddress(), await verified(app)];
    const [forStranger, forKnown] = [
      await invite(app, org.admin, org.id, stranger),
      await invite(app, org.admin, org.id, known),
    ];
    const browser = await loggedIn(app, known);

    const holding = { sql: 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', parameters: [org.id] };
    // With an account they wait for its row; without one, for the row that the first of them inserts.
    const made = await inLockStep(app.database, { ...holding, waiting: 8 }, () =>
      Array.from({ length: 32 }, () => accept(forStranger)),
    );
    const joined = await inLockStep(app.database, { ...holding, waiting: 8 }, () =>
      Array.from({ length: 32 }, () => browser.post('/invitations/accept', { token: forKnown })),
    );

    for (const [answers, success] of [
      [made, 201],
      [joined, 200],
    ] as const) {
      expect(answers.filter(({ status }) => status === success)).toHaveLength(1);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    }
    expect(await app.database.rows('SELECT 1 FROM users WHERE email = $1', [stranger])).toHaveLength(1);
  });

  it('joins no user whose session ends while it waits for a lock', async () => {
    const invited = await loggedIn(app);
    const token = await invite(app, org.admin, org.id, invited.email);

    const held = await Held.by(app.database, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [
      org.id,
    ]);
    const late = invited.post('/invitations/accept', { token });
    await held.untilWaiting(1);
    await invited.post('/auth/logout');
    await held.release();

    expect(await late).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(await user(invited.email)).toMatchObject({ org_id: null });
  });

  it('refuses a link that has expired', async () => {
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email);
    await app.database.rows('UPDATE invitations SET expires_at = now() WHERE email = $1', [email]);

    expect((await accept(token)).body.code).toBe('InvalidToken');
    expect(await user(email)).toBeUndefined();
  });
});

describe('an invitation as ORG_ADMIN', () => {
  it.each<[string, (inviter: Member) => Promise<unknown>]>([
    ['is removed', ({ id }) => org.admin.delete(`/orgs/${org.id}/members/${id}`)],
    ['is demoted', ({ id }) => org.admin.patch(`/orgs/${org.id}/members/${id}`, { role: 'member' })],
    [
      'has become the admin of another organization',
      async (inviter) => {
        await org.admin.delete(`/orgs/${org.id}/members/${inviter.id}`);
        await inviter.post('/users/me/org', { name: 'Elsewhere' });
      },
    ],
    [
      'deletes their account',
      (inviter) => inviter.send('DELETE', '/users/me', { current_password: PASSWORD }),
    ],
    [
      'is disabled',
      ({ id }) => app.database.rows('UPDATE users SET disabled_at = now() WHERE id = $1', [id]),
    ],
  ])('ends when its inviter %s, and one as MEMBER stays', async (_, end) => {
    const inviter = await joinOrg(app, org, Role.ORG_ADMIN);
    const [admin, member] = [freshAddress(), freshAddress()];
    const tokens = [
      await invite(app, inviter, org.id, admin, 'org_admin'),
      await invite(app, inviter, org.id, member),
    ] as const;

    await end(inviter);

    expect((await preview(tokens[0])).body.code).toBe('InvalidToken');
    expect((await accept(tokens[0])).body.code).toBe('InvalidToken');
    const { data } = (await org.admin.get(`${invitations()}?status=revoked&limit=1`)).body;
    expect(data).toMatchObject([{ email: admin }]);
    expect((await accept(tokens[1])).status).toBe(201);
  });

  it('of a SYSTEM_ADMIN ends with their role, and is good again once an admin sends it again', async () => {
    const [root, email] = [await loggedInAs(app, 'sys_admin'), freshAddress()];
    const token = await invite(app, root, org.id, email, 'org_admin');
    await giveRole(app.database, root.id, 'member');
    expect((await accept(token)).body.code).toBe('InvalidToken');

    const again = await invite(app, org.admin, org.id, email, 'org_admin');

    expect((await accept(again)).body.user).toMatchObject({ role: 'org_admin', org_id: org.id });
  });

  it('is refused to a request that waits while its inviter is demoted', async () => {
    const [inviter, email] = [await joinOrg(app, org, Role.ORG_ADMIN), freshAddress()];
    const token = await invite(app, inviter, org.id, email, 'org_admin');

    const held = await Held.by(app.database, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [
      org.id,
    ]);
    const late = accept(token);
    await held.untilWaiting(1);
    await held.run(`UPDATE memberships SET role = 'member' WHERE user_id = '${inviter.id}'`);
    await held.release();

    expect((await late).body.code).toBe('InvalidToken');
    expect(await user(email)).toBeUndefined();
  });
});

describe('POST /invitations/decline', () => {
  it('declines an invitation, once', async () => {
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email);

    expect((await app.browser().post('/invitations/decline', { token })).status).toBe(204);
    expect((await app.browser().post('/invitations/decline', { token })).body.code).toBe('InvalidToken');
    expect((await accept(token)).body.code).toBe('InvalidToken');
  });

  it('refuses an invitation that a request under way is about to accept', async () => {
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email);
    const held = await Held.by(app.database, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [
      org.id,
    ]);

    const accepting = accept(token);
    await held.untilWaiting(1);
    const declining = app.browser().post('/invitations/decline', { token });
    await Promise.race([declining, held.untilWaiting(2)]);
    await held.release();

    expect((await accepting).status).toBe(201);
    expect((await declining).body.code).toBe('InvalidToken');
  });

  it('refuses an invitation that has expired, and silences no organization by it', async () => {
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email);
    await app.database.rows(`UPDATE invitations SET expires_at = now() WHERE email = $1`, [email]);

    expect((await app.browser().post('/invitations/decline', { token })).body.code).toBe('InvalidToken');
    await expect(invite(app, org.admin, org.id, email)).resolves.toBeDefined();
  });

  it('silences the organization for that address for 30 days, and no other', async () => {
    const other = await foundOrg(app);
    const email = freshAddress();
    const token = await invite(app, org.admin, org.id, email);
    await app.browser().post('/invitations/decline', { token });

    const refused = await org.admin.post(invitations(), { email, role: 'member' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'InvitationDeclined' } });
    expect(await app.mailbox.to(email)).toHaveLength(1);
    await expect(invite(app, other.admin, other.id, email)).resolves.toBeDefined();
    await expect(invite(app, org.admin, org.id, freshAddress())).resolves.toBeDefined();

    await app.database.rows(
      `UPDATE invitations SET declined_at = declined_at - interval '30 days' WHERE email = $1`,
      [email],
    );
    await expect(invite(app, org.admin, org.id, email)).resolves.toBeDefined();
  });

  it('alone silences the organization: an admin who revokes the invitation may invite the address again', async () => {
    const email = freshAddress();
    await invite(app, org.admin, org.id, email);
    const { body } = await org.admin.get(`${invitations()}?status=pending&limit=1`);
    await org.admin.delete(`${invitations()}/${body.data[0].id}`);

    await expect(invite(app, org.admin, org.id, email)).resolves.toBeDefined();
  });
});
