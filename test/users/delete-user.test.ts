import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, giveRole, loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { asMember, foundOrg, invite, type Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let admin: Member;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.database.rows('TRUNCATE users, organizations CASCADE');
  admin = await loggedInAs(app, 'sys_admin');
});

const remove = ({ id }: { id: string }, browser = admin) => browser.delete(`/users/${id}`);
const newUser = async () => asMember(await loggedIn(app));
const exists = ({ id }: { id: string }) =>
  app.database.value('SELECT count(*)::int = 1 FROM users WHERE id = $1', [id]);
const subjects = async (email: string) => (await app.mailbox.to(email)).map(({ subject }) => subject);
const TOLD = 'An administrator deleted your account';

describe('DELETE /users/:id', () => {
  it('deletes the account with its sessions at once, tells the owner, and records who did it', async () => {
    const user = await newUser();

    const events = await eventsAfter(app, async () => {
      expect(await remove(user)).toMatchObject({ status: 204 });
    });

    expect(await exists(user)).toBe(false);
    expect((await user.get('/users/me')).status).toBe(401);
    expect(await subjects(user.email)).toContain(TOLD);
    expect(events).toMatchObject([{ type: 'account.deleted', actor_id: admin.id, user_id: user.id }]);
    expect((await app.browser().post('/auth/login', { email: user.email, password: PASSWORD })).status).toBe(
      401,
    );
  });

  it('deletes an account whose address changed lately, and tells the former address too', async () => {
    const [user, new_email] = [await newUser(), freshAddress()];
    await user.post('/users/me/email', { new_email, current_password: PASSWORD });
    await user.post('/users/me/email/confirm', { token: await app.mailbox.token(new_email) });

    expect((await remove(user)).status).toBe(204);

    for (const address of [user.email, new_email]) expect(await subjects(address)).toContain(TOLD);
  });

  it('deletes a disabled user, and ends the organization of which they are the only member', async () => {
    const user = await loggedInAs(app, 'org_admin');
    await admin.patch(`/users/${user.id}`, { disabled: true });

    expect((await remove(user)).status).toBe(204);
    expect(await app.database.rows('SELECT 1 FROM organizations')).toEqual([]);
  });

  it('takes back the invitations that the user sent lately', async () => {
    const org = await foundOrg(app);
    await giveRole(app.database, org.member.id, 'org_admin');
    const token = await invite(app, org.admin, org.id, freshAddress());

    expect((await remove(org.admin)).status).toBe(204);
    expect(await app.browser().post('/invitations/preview', { token })).toMatchObject({
      status: 400,
      body: { code: 'InvalidToken' },
    });
  });

  it('keeps the last admin of an organization with other members', async () => {
    const org = await foundOrg(app);

    expect(await remove(org.admin)).toMatchObject({ status: 409, body: { code: 'LastOrgAdmin' } });
    expect(await exists(org.admin)).toBe(true);
    expect(await subjects(org.admin.email)).not.toContain(TOLD);

    expect((await remove(org.member)).status).toBe(204);
  });

  it('is not for oneself', async () => {
    await loggedInAs(app, 'sys_admin');
    expect(await remove(admin)).toMatchObject({ status: 403, body: { code: 'InsufficientRole' } });
    expect(await exists(admin)).toBe(true);
  });

  it('keeps the last SYSTEM_ADMIN who can log in', async () => {
    const other = await loggedInAs(app, 'sys_admin');
    // As create-admin leaves an account whose link was not opened yet.
    await app.database.rows(
      'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE id = $1',
      [admin.id],
    );

    expect(await remove(other)).toMatchObject({ status: 409, body: { code: 'LastSystemAdmin' } });
    expect(await exists(other)).toBe(true);
  });

  it('finds no user there is not', async () => {
    expect(await remove({ id: randomUUID() })).toMatchObject({ status: 404, body: { code: 'NotFound' } });
  });

  it('asks a session whose proof is old for a new one, so that the thief of an admin session deletes none', async () => {
    const user = await newUser();
    await app.database.rows(
      `UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE user_id = $1`,
      [admin.id],
    );

    expect(await remove(user)).toMatchObject({ status: 403, body: { code: 'StepUpRequired' } });
    expect(await exists(user)).toBe(true);
  });

  it('is not for an ORG_ADMIN, not even for a member', async () => {
    const org = await foundOrg(app);
    expect(await remove(org.member, org.admin)).toMatchObject({
      status: 403,
      body: { code: 'InsufficientRole' },
    });
    expect(await exists(org.member)).toBe(true);
  });
});

describe('GET /users/:id/identities', () => {
  it('lists the identities of a user as the user sees them', async () => {
    const user = await newUser();
    for (const provider of ['https://idp.example', 'https://other.example'])
      await app.database.rows(
        `INSERT INTO identities (id, user_id, provider, subject, email)
         VALUES (gen_random_uuid(), $1, $2, 'the subject of Ada', 'ada@example.com')`,
        [user.id, provider],
      );

    const { status, body, text } = await admin.get(`/users/${user.id}/identities`);

    expect(status).toBe(200);
    expect(body).toEqual({ data: (await user.get('/users/me/identities')).body.data });
    expect(body.data).toHaveLength(2);
    expect(text).not.toContain('the subject of Ada');
  });

  it('finds none of a user there is not', async () => {
    expect((await admin.get(`/users/${randomUUID()}/identities`)).status).toBe(404);
  });
});
