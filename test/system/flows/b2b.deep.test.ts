import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD } from '../../support/accounts.js';
import { runCommand } from '../../support/command-line.js';
import { asMember, invite } from '../../support/orgs.js';
import { TestApp } from '../../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_APP_MODE: 'b2b' });
});
afterAll(() => app.close());

/** Accepts an invitation as a new person, and logs in. */
async function accept(token: string, email: string) {
  const { status } = await app.browser().post('/invitations/accept', { token, password: PASSWORD });
  expect(status).toBe(201);
  return asMember(await loggedIn(app, email));
}

describe('a business product', () => {
  it('gets all its users by invitation only, from the first admin to the last colleague', async () => {
    const root = freshAddress();
    await runCommand(app, ['create-admin', root]);
    const token = await app.mailbox.token(root);
    await app.browser().post('/password/reset', { token, new_password: PASSWORD });
    const system = await loggedIn(app, root);

    for (const path of ['/auth/signup', '/auth/signup-org']) {
      expect((await app.browser().post(path, { email: freshAddress(), password: PASSWORD })).status).toBe(
        404,
      );
    }

    const [adminEmail, readonlyEmail, memberEmail] = [freshAddress(), freshAddress(), freshAddress()];
    const created = await system.post('/orgs', { name: 'Initech', admin_email: adminEmail });
    const orgId = created.body.org.id;
    const admin = await accept(await app.mailbox.token(adminEmail), adminEmail);
    const readonly = await accept(await invite(app, admin, orgId, readonlyEmail, 'readonly'), readonlyEmail);
    const member = await accept(await invite(app, admin, orgId, memberEmail, 'member'), memberEmail);

    const { data } = (await readonly.get(`/orgs/${orgId}/members`)).body;
    expect(data.map(({ email, role }: { email: string; role: string }) => [email, role])).toEqual([
      [memberEmail, 'member'],
      [readonlyEmail, 'readonly'],
      [adminEmail, 'org_admin'],
    ]);
    for (const browser of [readonly, member]) {
      const refused = await browser.post(`/orgs/${orgId}/invitations`, {
        email: freshAddress(),
        role: 'readonly',
      });
      expect(refused.body.code).toBe('InsufficientRole');
    }
    expect((await admin.post('/orgs', { name: 'Mine', admin_email: freshAddress() })).body.code).toBe(
      'InsufficientRole',
    );

    await admin.delete(`/orgs/${orgId}/members/${member.id}`);
    expect((await member.get('/users/me')).body.user.org_id).toBeNull();
    expect((await member.get(`/orgs/${orgId}`)).status).toBe(404);
  });
});
