import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ACCOUNTS,
  completedSignup,
  freshAddress,
  giveRole,
  loggedIn,
  PASSWORD,
  verified,
} from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { inLockStep } from '../support/lock-step.js';
import { tokenIn } from '../support/mails.js';
import { place } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

type Account = Browser & { email: string };

const remove = (browser: Browser) => browser.send('DELETE', '/users/me', { current_password: PASSWORD });
const login = (email: string) => app.browser().post('/auth/login', { email, password: PASSWORD });
const exists = (email: string) =>
  app.database.value('SELECT count(*)::int = 1 FROM users WHERE email = $1', [email]);
const orgOf = (email: string) =>
  app.database.value(`SELECT org_id FROM ${ACCOUNTS} WHERE email = $1`, [email]);
const orgExists = (id: string) =>
  app.database.value('SELECT count(*)::int = 1 FROM organizations WHERE id = $1', [id]);
const setRole = (email: string, role: string) => giveRole(app.database, email, role);

const subjects = async (email: string) => (await app.mailbox.to(email)).map(({ subject }) => subject);

/** Moves an account to another address. */
async function moveTo(new_email: string, browser: Browser): Promise<void> {
  await browser.post('/users/me/email', { new_email, current_password: PASSWORD });
  const token = await app.mailbox.token(new_email);
  expect((await browser.post('/users/me/email/confirm', { token })).status).toBe(200);
}

/** A user who has just moved from the address in the browser to another one. */
async function moved(): Promise<{ browser: Account; newEmail: string }> {
  const [browser, newEmail] = [await loggedIn(app), freshAddress()];
  await moveTo(newEmail, browser);
  return { browser, newEmail };
}

/** The admin of an organization of their own, logged in. */
async function founder(): Promise<Account & { orgId: string }> {
  const { email } = await completedSignup(app, { path: '/auth/signup-org', org_name: 'Initech' });
  return Object.assign(await loggedIn(app, email), { orgId: await orgOf(email) });
}

/** A member of an organization, logged in. */
async function member(orgId: string, role = 'member'): Promise<Account> {
  const email = await verified(app);
  await place(app.database, email, orgId, role);
  return loggedIn(app, email);
}

/** Holds an organization until two requests wait for it. */
const holding = (orgId: string) => ({
  sql: 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE',
  parameters: [orgId],
  waiting: 2,
});

/** An invitation to an organization, from a user. */
async function invitation(orgId: string, inviter: Account): Promise<string> {
  return app.database.value(
    `INSERT INTO invitations (id, org_id, email, role, token_hash, invited_by, expires_at)
     SELECT gen_random_uuid(), $1, $2, 'member', sha256($2::text::bytea), id, now() + interval '1 day'
       FROM users WHERE email = $3
     RETURNING id`,
    [orgId, freshAddress(), inviter.email],
  );
}

describe('DELETE /users/me', () => {
  it('deletes the account, clears the cookie and ends every session at once', async () => {
    const browser = await loggedIn(app);
    const other = await loggedIn(app, browser.email);
    const stale = app.browser({ cookie: `session_id=${browser.jar.get('session_id')}` });
    await app.browser().post('/password/forgot', { email: browser.email });
    const reset = { token: await app.mailbox.token(browser.email), new_password: 'another pass phrase' };

    const answer = await remove(browser);

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.cookies).toEqual([expect.stringMatching(/^session_id=;.*Max-Age=0/)]);
    for (const late of [stale, other]) expect((await late.get('/users/me')).status).toBe(401);
    expect(await exists(browser.email)).toBe(false);
    expect((await login(browser.email)).body.code).toBe('InvalidCredentials');
    expect((await app.browser().post('/password/reset', reset)).body.code).toBe('InvalidToken');
  });

  it('frees the address', async () => {
    const browser = await loggedIn(app);
    const { email } = browser;
    await remove(browser);

    await verified(app, { email });

    expect((await login(email)).status).toBe(200);
  });

  it.each([
    ['a wrong password', { current_password: 'not the password' }],
    ['none', {}],
    ['null', { current_password: null }],
    ['no body', undefined],
  ])('refuses %s where the account has a password', async (_, body) => {
    const browser = await loggedIn(app);

    expect(await browser.send('DELETE', '/users/me', body)).toMatchObject({
      status: 400,
      body: { code: 'IncorrectPassword' },
      cookies: [],
    });
    expect((await browser.get('/users/me')).status).toBe(200);
  });

  it('asks for no password where the account has none', async () => {
    const browser = await loggedIn(app);
    await app.database.rows(
      'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE email = $1',
      [browser.email],
    );

    expect((await browser.delete('/users/me')).status).toBe(204);
    expect(await exists(browser.email)).toBe(false);
  });

  it('asks for a session', async () => {
    expect((await remove(app.browser())).status).toBe(401);
  });

  it('answers two deletions at once without failing', async () => {
    const browser = await loggedIn(app);
    const cookie = `session_id=${browser.jar.get('session_id')}`;

    const answers = await Promise.all([1, 2].map(() => remove(app.browser({ cookie }))));

    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(204);
    expect([400, 401]).toContain(statuses[1]);
  });

  it('does not send a link that a user asks for at the same moment', async () => {
    const email = await verified(app);
    const before = (await app.mailbox.to(email)).length;

    const [answer] = await inLockStep(
      app.database,
      { sql: 'DELETE FROM users WHERE email = $1', parameters: [email], waiting: 1 },
      () => [app.browser().post('/password/forgot', { email })],
    );

    expect(answer?.status).toBe(202);
    expect(await app.mailbox.to(email)).toHaveLength(before);
  });

  it('leaves no session of a login that is under way, and makes no request fail', async () => {
    const browser = await loggedIn(app);
    const { email } = browser;

    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => login(email)),
      remove(browser),
      ...Array.from({ length: 8 }, () => app.browser().post('/password/forgot', { email })),
    ]);

    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(answers[4]?.status).toBe(204);
    for (const { cookies } of answers.slice(0, 4)) {
      const cookie = cookies[0]?.split(';')[0];
      if (cookie) expect((await app.browser({ cookie }).get('/users/me')).status).toBe(401);
    }
    expect(await exists(email)).toBe(false);
  });

  it('informs the owner by mail', async () => {
    const browser = await loggedIn(app);

    await remove(browser);

    expect((await app.mailbox.last(browser.email)).subject).toBe('Your account was deleted');
  });

  it('sends no mail when it is refused', async () => {
    const browser = await loggedIn(app);

    await browser.send('DELETE', '/users/me', { current_password: 'not the password' });

    expect(await subjects(browser.email)).not.toContain('Your account was deleted');
  });
});

describe('DELETE /users/me after a change of the address', () => {
  it('is refused with AddressChangedRecently while the change can be undone, and changes nothing', async () => {
    const { browser, newEmail } = await moved();

    expect(await remove(browser)).toMatchObject({
      status: 409,
      body: { code: 'AddressChangedRecently' },
      cookies: [],
    });

    expect(await exists(newEmail)).toBe(true);
    expect((await browser.get('/users/me')).status).toBe(200);
    expect(await subjects(newEmail)).not.toContain('Your account was deleted');
  });

  it('is possible after 72 hours', async () => {
    const { browser, newEmail } = await moved();
    const age = `UPDATE email_changes SET expires_at = expires_at - $1::interval`;
    await app.database.rows(age, ['71 hours 59 minutes']);
    expect((await remove(browser)).status).toBe(409);
    await app.database.rows(age, ['1 minute']);

    expect((await remove(browser)).status).toBe(204);
    expect(await exists(newEmail)).toBe(false);
  });

  it('is possible once the owner has changed it back, and mails every address of the last 72 hours', async () => {
    const { browser, newEmail } = await moved();
    await moveTo(browser.email, browser);

    expect((await remove(browser)).status).toBe(204);

    expect((await subjects(browser.email)).at(-1)).toBe('Your account was deleted');
    expect((await subjects(newEmail)).at(-1)).toBe('Your account was deleted');
  });

  it('mails an address that the account was moved back from, when the account is deleted afterwards', async () => {
    const { browser, newEmail } = await moved();
    const alarm = (await app.mailbox.to(browser.email)).findLast(({ subject }) =>
      /was changed$/.test(subject),
    );
    await app.browser().post('/auth/secure-account', { token: tokenIn(alarm?.text ?? '') });
    const reset = { token: await app.mailbox.token(browser.email), new_password: PASSWORD };
    await app.browser().post('/password/reset', reset);

    expect((await remove(await loggedIn(app, browser.email))).status).toBe(204);

    expect((await subjects(browser.email)).at(-1)).toBe('Your account was deleted');
    expect((await subjects(newEmail)).at(-1)).toBe('Your account was deleted');
  });

  it('deletes the account or changes its address, when requests for both come at once', async () => {
    const browser = await loggedIn(app);
    const newEmail = freshAddress();
    await browser.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
    const token = await app.mailbox.token(newEmail);

    const [removed, confirmed] = await inLockStep(
      app.database,
      { sql: 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', parameters: [browser.email], waiting: 2 },
      () => [remove(browser), browser.post('/users/me/email/confirm', { token })],
    );

    const isDeleted = removed?.status === 204;
    expect([removed?.status, confirmed?.status]).toEqual(isDeleted ? [204, 400] : [409, 200]);
    expect([await exists(browser.email), await exists(newEmail)]).toEqual([false, !isDeleted]);
  });
});

describe('DELETE /users/me of a member of an organization', () => {
  it('deletes the organization and its invitations, when no other user belongs to it', async () => {
    const admin = await founder();
    const id = await invitation(admin.orgId, admin);

    expect((await remove(admin)).status).toBe(204);

    expect(await orgExists(admin.orgId)).toBe(false);
    expect(await app.database.rows('SELECT 1 FROM invitations WHERE id = $1', [id])).toEqual([]);
  });

  it('refuses the last admin while there are other members', async () => {
    const admin = await founder();
    await member(admin.orgId);

    expect(await remove(admin)).toMatchObject({
      status: 409,
      body: { code: 'LastOrgAdmin' },
      cookies: [],
    });
    expect((await admin.get('/users/me')).status).toBe(200);
  });

  it('deletes an admin while there is another one, and keeps the invitations they sent', async () => {
    const admin = await founder();
    await member(admin.orgId, 'org_admin');
    const id = await invitation(admin.orgId, admin);

    expect((await remove(admin)).status).toBe(204);

    expect(await orgExists(admin.orgId)).toBe(true);
    expect(await app.database.rows('SELECT invited_by FROM invitations WHERE id = $1', [id])).toEqual([
      { invited_by: null },
    ]);
  });

  it('deletes a member, even while the only admin is disabled', async () => {
    const admin = await founder();
    const plain = await member(admin.orgId);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [admin.email]);

    expect((await remove(plain)).status).toBe(204);
    expect(await orgExists(admin.orgId)).toBe(true);
  });

  it('keeps one of two last admins who delete their accounts at once', async () => {
    const one = await founder();
    const other = await member(one.orgId, 'org_admin');
    await member(one.orgId);

    const answers = await inLockStep(app.database, holding(one.orgId), () => [remove(one), remove(other)]);

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(
      await app.database.rows(`SELECT 1 FROM memberships WHERE org_id = $1 AND role = 'org_admin'`, [
        one.orgId,
      ]),
    ).toHaveLength(1);
  });

  it('leaves no empty organization behind when all members delete their accounts at once', async () => {
    const one = await founder();
    const other = await member(one.orgId, 'org_admin');

    const answers = await inLockStep(app.database, holding(one.orgId), () => [remove(one), remove(other)]);

    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(await orgExists(one.orgId)).toBe(false);
  });
});

describe('DELETE /users/me of a SYSTEM_ADMIN', () => {
  it('refuses the last one, and keeps one of two who delete their accounts at once', async () => {
    const [one, other] = [await loggedIn(app), await loggedIn(app)];
    await setRole(one.email, 'sys_admin');
    expect(await remove(one)).toMatchObject({ status: 409, body: { code: 'LastSystemAdmin' } });
    await setRole(other.email, 'sys_admin');

    const admins = `SELECT 1 FROM users WHERE own_role = 'sys_admin' FOR UPDATE`;
    const answers = await inLockStep(app.database, { sql: admins, parameters: [], waiting: 2 }, () => [
      remove(one),
      remove(other),
    ]);

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(await app.database.rows(`SELECT 1 FROM users WHERE own_role = 'sys_admin'`)).toHaveLength(1);
  });
});
