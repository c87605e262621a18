import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { activeSessions, giveRole, loggedInAs, PASSWORD } from '../support/accounts.js';
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

const remove = (browser: Browser, { id }: { id: string }) => browser.delete(`/users/${id}`);
const leave = (browser: Browser) => browser.send('DELETE', '/users/me', { current_password: PASSWORD });
const outcomes = (answers: Answer[]) => answers.map(({ status, body }) => body?.code ?? status).sort();
const holdUser = ({ id }: Member) =>
  Held.by(app.database, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [id]);

describe('two admins who delete each other at once', () => {
  it('leave one of them', async () => {
    const other = await loggedInAs(app, 'sys_admin');

    const answers = await inLockStep(app.database, { sql: ADMINS, parameters: [], waiting: 2 }, () => [
      remove(admin, other),
      remove(other, admin),
    ]);

    expect(outcomes(answers)).toEqual([204, 'LastSystemAdmin']);
  });

  it('cannot both succeed even when there is a third admin', async () => {
    const other = await loggedInAs(app, 'sys_admin');
    await loggedInAs(app, 'sys_admin');

    const answers = await inLockStep(app.database, { sql: ADMINS, parameters: [], waiting: 2 }, () => [
      remove(admin, other),
      remove(other, admin),
    ]);

    expect(outcomes(answers)).toEqual([204, 'InsufficientRole']);
  });
});

describe('of the two admins of an organization, one who is deleted while the other leaves', () => {
  it('leaves the organization one admin, whichever comes first', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = [await loggedInAs(app, 'org_admin'), await loggedInAs(app, 'org_admin')];
      await organize(app, one, other, await loggedInAs(app, 'member'));

      const answers = await Promise.all([remove(admin, one), leave(other)]);

      expect(outcomes(answers)).toEqual([204, 'LastOrgAdmin']);
    }
  });
});

describe('a user who deletes their account while an admin does', () => {
  it('is deleted once, and neither request fails in another way', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await loggedInAs(app, 'org_admin');
      await organize(app, user);

      const [removing, leaving] = await Promise.all([remove(admin, user), leave(user)]);

      expect([
        [204, 401],
        [404, 204],
      ]).toContainEqual([removing.status, leaving.status]);
      expect(await app.database.rows('SELECT 1 FROM users WHERE id = $1', [user.id])).toEqual([]);
    }
  });
});

describe('a login under way while an admin ends the sessions of its user', () => {
  it('ends too when it came first', async () => {
    const user = await loggedInAs(app, 'member');

    const held = await holdUser(user);
    const login = app.browser().post('/auth/login', { email: user.email, password: PASSWORD });
    await held.untilWaiting(1);
    const ending = admin.delete(`/users/${user.id}/sessions`);
    await held.untilWaiting(2);
    await held.release();

    expect([(await login).status, (await ending).body]).toEqual([200, { revoked: 2 }]);
    expect(await activeSessions(app, user)).toBe(0);
  });
});

describe('a request of an admin whose session ends while it waits', () => {
  it.each([
    ['deletes no user', ''],
    ['ends no sessions', '/sessions'],
  ])('%s', async (_, path) => {
    const user = await loggedInAs(app, 'member');
    await loggedInAs(app, 'sys_admin');

    const held = await holdUser(user);
    const waiting = admin.delete(`/users/${user.id}${path}`);
    await held.untilWaiting(1);
    await app.database.rows('UPDATE sessions SET invalidated_at = now() WHERE user_id = $1', [admin.id]);
    await held.release();

    expect((await waiting).status).toBe(401);
    expect(await activeSessions(app, user)).toBe(1);
  });

  it('ends no sessions once the admin is none any more', async () => {
    const user = await loggedInAs(app, 'member');

    const held = await holdUser(user);
    const waiting = admin.delete(`/users/${user.id}/sessions`);
    await held.untilWaiting(1);
    await giveRole(app.database, admin.id, 'member');
    await held.release();

    expect((await waiting).body.code).toBe('InsufficientRole');
    expect(await activeSessions(app, user)).toBe(1);
  });
});
