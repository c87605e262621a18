import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { activeSessions, freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import type { Answer, Browser } from '../support/browser.js';
import { Held, inLockStep } from '../support/lock-step.js';
import { type Member, organize } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const ROUNDS = 20;
const ADMINS = `SELECT 1 FROM users WHERE own_role = 'sys_admin' FOR UPDATE`;

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

const change = (browser: Browser, { id }: { id: string }, body: object) =>
  browser.patch(`/users/${id}`, body);
const outcomes = (answers: Answer[]) => answers.map(({ status, body }) => body.code ?? status).sort();

describe.each([
  ['disable', { disabled: true }],
  ['demote', { role: 'member' }],
])('two admins who %s each other at once', (_, body) => {
  it('leave one SYSTEM_ADMIN, whichever comes first', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await app.database.rows('TRUNCATE users CASCADE');
      const [one, other] = [await loggedInAs(app, 'sys_admin'), await loggedInAs(app, 'sys_admin')];

      const answers = await Promise.all([change(one, other, body), change(other, one, body)]);

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      const left = `SELECT count(*)::int FROM users WHERE own_role = 'sys_admin' AND disabled_at IS NULL`;
      expect(await app.database.value(left)).toBe(1);
    }
  });

  it('get one LastSystemAdmin when both requests wait to make the change', async () => {
    const other = await loggedInAs(app, 'sys_admin');

    const answers = await inLockStep(app.database, { sql: ADMINS, parameters: [], waiting: 2 }, () => [
      change(admin, other, body),
      change(other, admin, body),
    ]);

    expect(outcomes(answers)).toEqual([200, 'LastSystemAdmin']);
  });

  it('cannot both succeed even when there is a third admin', async () => {
    const other = await loggedInAs(app, 'sys_admin');
    await loggedInAs(app, 'sys_admin');

    const answers = await inLockStep(app.database, { sql: ADMINS, parameters: [], waiting: 2 }, () => [
      change(admin, other, body),
      change(other, admin, body),
    ]);

    expect(outcomes(answers)).toEqual([200, 'InsufficientRole']);
  });
});

describe('two admins of an organization whose roles are lowered at once', () => {
  it('leave the organization one admin', async () => {
    const admins = [await loggedInAs(app, 'org_admin'), await loggedInAs(app, 'org_admin')];
    await organize(app, ...admins, await loggedInAs(app, 'member'));

    const answers = await inLockStep(app.database, { sql: ADMINS, parameters: [], waiting: 2 }, () =>
      admins.map((orgAdmin) => change(admin, orgAdmin, { role: 'member' })),
    );

    expect(outcomes(answers)).toEqual([200, 'LastOrgAdmin']);
  });
});

describe('a change of a member', () => {
  it('does not deadlock with a request that holds the organization and is about to appoint an admin', async () => {
    const user = await loggedInAs(app, 'member');
    await organize(app, user);

    const held = await Held.by(app.database, 'SELECT 1 FROM organizations FOR UPDATE', []);
    const answer = change(admin, user, { disabled: true });
    await held.untilWaiting(1);
    await held.run(`SELECT 1 FROM users WHERE own_role = 'sys_admin' FOR KEY SHARE`);
    await held.release();

    expect((await answer).status).toBe(200);
  });
});

describe('a login under way while its user is disabled', () => {
  it('ends up without an active session', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await loggedInAs(app, 'member');
      const credentials = { email: user.email, password: PASSWORD };

      const [login] = await Promise.all([
        app.browser().post('/auth/login', credentials),
        change(admin, user, { disabled: true }),
      ]);

      expect(login.status).toBeLessThan(500);
      expect(await activeSessions(app, user)).toBe(0);
    }
  });
});

describe('a request under way while its user is disabled', () => {
  const holdUser = ({ id }: Member) =>
    Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);

  it('leaves no link to another address that works once the user is enabled again', async () => {
    const user = await loggedInAs(app, 'member');
    const newEmail = freshAddress();

    const held = await holdUser(user);
    const disabling = change(admin, user, { disabled: true });
    await held.untilWaiting(1);
    const asking = user.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
    await held.untilWaiting(2);
    await held.release();

    expect([(await disabling).status, (await asking).status]).toEqual([200, 400]);
    expect(await app.mailbox.to(newEmail)).toEqual([]);
  });

  it('does not delete the account', async () => {
    const user = await loggedInAs(app, 'member');

    const held = await holdUser(user);
    const disabling = change(admin, user, { disabled: true });
    await held.untilWaiting(1);
    const leaving = user.send('DELETE', '/users/me', { current_password: PASSWORD });
    await held.untilWaiting(2);
    await held.release();

    expect([(await disabling).status, (await leaving).status]).toEqual([200, 401]);
    expect(await app.database.value('SELECT disabled_at FROM users WHERE id = $1', [user.id])).toBeTruthy();
  });
});
