import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS, freshAddress, loggedIn, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { crowd, linkFor, type Person } from '../support/crowd.js';
import { TestApp } from '../support/test-app.js';

const NEW_PASSWORD = 'another pass phrase altogether';
const refused = { status: 400, body: { code: 'InvalidToken' } };

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const secure = (token: string) => app.browser().post('/auth/secure-account', { token });
const login = (email: string, password = PASSWORD) => app.browser().post('/auth/login', { email, password });
const account = async (email: string) =>
  (await app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]))[0];

/** The token of the "this was not me" link in the newest mail with a subject. */
async function alarmTo(email: string, subject: string): Promise<string> {
  const mail = (await app.mailbox.to(email)).findLast((one) => one.subject === subject);
  return /secure-account\?token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
}

/** Moves an account to another address, as a user who is logged in to it and reads the mail there does. */
async function moveTo(newEmail: string, browser: Browser): Promise<void> {
  const asked = await browser.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });
  expect(asked.status).toBe(202);
  const token = await app.mailbox.token(newEmail);
  expect((await browser.post('/users/me/email/confirm', { token })).status).toBe(200);
}

/** Sets a new password by the newest link that was mailed, and logs in with it. */
async function loggedInAnew(email: string): Promise<Browser> {
  const reset = { token: await app.mailbox.token(email), new_password: NEW_PASSWORD };
  expect((await app.browser().post('/password/reset', reset)).status).toBe(204);
  return loggedIn(app, email, NEW_PASSWORD);
}

const subjects = async (email: string) => (await app.mailbox.to(email)).map(({ subject }) => subject);

const age = (table: string, column: string, by: string) =>
  app.database.rows(`UPDATE ${table} SET ${column} = ${column} - interval '${by}'`);

describe('POST /auth/secure-account', () => {
  it('ends every session and the password, and mails a link to set a new one', async () => {
    const browser = await loggedIn(app);
    await app.browser().post('/auth/login', { email: browser.email, password: PASSWORD });
    const token = await alarmTo(browser.email, 'A new login to your account');

    expect(await secure(token)).toMatchObject({ status: 204, text: '' });

    expect((await browser.get('/users/me')).status).toBe(401);
    expect((await login(browser.email)).body.code).toBe('InvalidCredentials');
    const reset = { token: await app.mailbox.token(browser.email), new_password: NEW_PASSWORD };
    expect((await app.browser().post('/password/reset', reset)).status).toBe(204);
    expect((await login(browser.email, NEW_PASSWORD)).status).toBe(200);
  });

  it('records account.secured without an actor: a link proves no session', async () => {
    const { email } = await loggedIn(app);
    await login(email);
    const token = await alarmTo(email, 'A new login to your account');

    const events = await eventsAfter(app, () => secure(token));

    const { id } = await account(email);
    expect(events).toMatchObject([{ type: 'account.secured', actor_id: null, user_id: id, ip: '127.0.0.1' }]);
  });

  it('undoes a change of the password that the owner did not make', async () => {
    const browser = await loggedIn(app);
    const update = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    expect((await browser.post('/password/update', update)).status).toBe(204);

    await secure(await alarmTo(browser.email, 'Your password was changed'));

    expect((await login(browser.email, NEW_PASSWORD)).status).toBe(401);
    expect((await browser.get('/users/me')).status).toBe(401);
  });

  it('cancels a change of address that was not confirmed yet', async () => {
    const browser = await loggedIn(app);
    const newEmail = freshAddress();
    await browser.post('/users/me/email', { new_email: newEmail, current_password: PASSWORD });

    await secure(await alarmTo(browser.email, 'Your email address is about to change'));

    const token = await app.mailbox.token(newEmail);
    const again = await loggedInAnew(browser.email);
    expect(await again.post('/users/me/email/confirm', { token })).toMatchObject(refused);
  });

  it('restores the earlier address within 72 hours, also over two changes', async () => {
    const browser = await loggedIn(app);
    const [second, third] = [freshAddress(), freshAddress()];
    await moveTo(second, browser);
    await moveTo(third, browser);
    await age('email_changes', 'expires_at', '71 hours');

    expect((await secure(await alarmTo(browser.email, 'Your email address was changed'))).status).toBe(204);

    expect(await account(browser.email)).toMatchObject({ password_hash: null });
    expect([await account(second), await account(third)]).toEqual([undefined, undefined]);
    expect((await app.mailbox.last(browser.email)).subject).toBe('Set a new password');
    expect((await app.mailbox.last(third)).subject).not.toBe('Set a new password');
    expect(await secure(await alarmTo(second, 'Your email address was changed'))).toMatchObject(refused);
  });

  it('restores it although an intruder has used the links that were mailed to the later addresses', async () => {
    const browser = await loggedIn(app);
    const [second, third] = [freshAddress(), freshAddress()];
    await moveTo(second, browser);
    await moveTo(third, browser);
    await login(third);

    expect((await secure(await alarmTo(third, 'A new login to your account'))).status).toBe(204);
    expect((await secure(await alarmTo(second, 'Your email address was changed'))).status).toBe(204);
    expect((await secure(await alarmTo(browser.email, 'Your email address was changed'))).status).toBe(204);

    expect(await account(browser.email)).toMatchObject({ password_hash: null });
  });

  it('does not restore a later address that the owner has left again', async () => {
    const browser = await loggedIn(app);
    const later = freshAddress();
    await moveTo(later, browser);
    await moveTo(browser.email, browser);

    expect(await secure(await alarmTo(later, 'Your email address was changed'))).toMatchObject(refused);
    expect(await account(browser.email)).toBeDefined();
  });

  it('does not restore the address later than that', async () => {
    const browser = await loggedIn(app);
    const newEmail = freshAddress();
    await moveTo(newEmail, browser);
    await age('email_changes', 'expires_at', '72 hours');

    expect(await secure(await alarmTo(browser.email, 'Your email address was changed'))).toMatchObject(
      refused,
    );
    expect(await account(newEmail)).toBeDefined();
  });

  it('restores an address although there are signups with it', async () => {
    const browser = await loggedIn(app);
    await moveTo(freshAddress(), browser);
    await signedUp(app, { email: browser.email });

    expect((await secure(await alarmTo(browser.email, 'Your email address was changed'))).status).toBe(204);
    expect(await app.database.rows('SELECT 1 FROM signups WHERE email = $1', [browser.email])).toEqual([]);
  });

  it('refuses while another account has the address, changes nothing, and works once that account is gone', async () => {
    const browser = await loggedIn(app);
    await moveTo(freshAddress(), browser);
    const other = await loggedIn(app, await verified(app, { email: browser.email }));
    const token = await alarmTo(browser.email, 'Your email address was changed');

    expect(await secure(token)).toMatchObject({ status: 409, body: { code: 'AddressHasAccount' } });

    expect((await browser.get('/users/me')).status).toBe(200);
    expect((await other.get('/users/me')).status).toBe(200);
    expect((await other.send('DELETE', '/users/me', { current_password: PASSWORD })).status).toBe(204);
    expect((await secure(token)).status).toBe(204);
    expect((await account(browser.email)).email_verified_at).not.toBeNull();
  });

  it('mails the address that loses the account, and records email.changed', async () => {
    const browser = await loggedIn(app);
    const [later, { id, org_id }] = [freshAddress(), await account(browser.email)];
    await moveTo(later, browser);
    const token = await alarmTo(browser.email, 'Your email address was changed');

    const events = await eventsAfter(app, () => secure(token));

    expect(events).toMatchObject([
      { type: 'email.changed', actor_id: null, user_id: id, org_id },
      { type: 'account.secured', user_id: id },
    ]);
    expect((await subjects(later)).at(-1)).toBe('Your email address was changed back');
    expect((await app.mailbox.last(later)).text).not.toContain(browser.email);
  });

  it('mails no address about a change when it undoes none', async () => {
    const browser = await loggedIn(app);
    await loggedIn(app, browser.email);

    await secure(await alarmTo(browser.email, 'A new login to your account'));

    expect(await subjects(browser.email)).not.toContain('Your email address was changed back');
  });

  it('forgets every device, so that the service mails the owner about the next login at once', async () => {
    const browser = await loggedIn(app);
    await loggedIn(app, browser.email);
    await secure(await alarmTo(browser.email, 'A new login to your account'));
    const known = `SELECT count(*)::int FROM known_devices d JOIN users u ON u.id = user_id WHERE email = $1`;
    expect(await app.database.value(known, [browser.email])).toBe(0);
    await app.database.rows(
      `UPDATE users SET password_hash = o.password_hash, password_changed_at = now()
         FROM users o WHERE users.email = $1 AND o.email = $2`,
      [browser.email, await verified(app)],
    );
    const news = async () =>
      (await subjects(browser.email)).filter((subject) => subject === 'A new login to your account').length;
    expect(await news()).toBe(1);

    await browser.post('/auth/login', { email: browser.email, password: PASSWORD });
    expect(await news()).toBe(2);
  });

  it('removes every identity known under another address, whatever its age', async () => {
    const browser = await loggedIn(app);
    await loggedIn(app, browser.email);
    const { id } = await account(browser.email);
    const link = (subject: string, email: string | null) =>
      app.database.rows(
        `INSERT INTO identities (id, user_id, provider, subject, email, created_at)
         VALUES (gen_random_uuid(), $1, $2, $2, $3, now() - interval '1 year')`,
        [id, subject, email],
      );
    await link('own', browser.email);
    await link('of another address', freshAddress());
    await link('of no known address', null);
    const token = await alarmTo(browser.email, 'A new login to your account');

    const events = await eventsAfter(app, () => secure(token));

    const left = await app.database.rows('SELECT subject FROM identities WHERE user_id = $1', [id]);
    expect(left).toEqual([{ subject: 'own' }]);
    expect(events.map(({ type }) => type)).toEqual(['identity.unlinked', 'account.secured']);
  });

  it('removes an identity linked lately, and keeps an older one', async () => {
    const browser = await loggedIn(app);
    await app.browser().post('/auth/login', { email: browser.email, password: PASSWORD });
    const { id } = await account(browser.email);
    const link = (subject: string, ago: string) =>
      app.database.rows(
        `INSERT INTO identities (id, user_id, provider, subject, email, created_at)
         VALUES (gen_random_uuid(), $1, $2, $2, $3, now() - $4::interval)`,
        [id, subject, browser.email, ago],
      );
    await link('new', '71 hours');
    await link('old', '73 hours');

    await secure(await alarmTo(browser.email, 'A new login to your account'));

    const left = await app.database.rows('SELECT subject FROM identities WHERE user_id = $1', [id]);
    expect(left).toEqual([{ subject: 'old' }]);
  });

  it('removes the identity that its mail reported and those linked since, however old they are by now', async () => {
    const browser = await loggedIn(app);
    await app.browser().post('/auth/login', { email: browser.email, password: PASSWORD });
    const { id } = await account(browser.email);
    const token = await alarmTo(browser.email, 'A new login to your account');
    await app.database.rows(
      `INSERT INTO identities (id, user_id, provider, subject, email, created_at)
       SELECT gen_random_uuid(), user_id, subject, subject, $2, created_at + after::interval
         FROM one_time_tokens, (VALUES ('before', '-1 hour'), ('reported', '0'), ('since', '1 hour')) AS i (subject, after)
        WHERE user_id = $1 AND purpose = 'secure-account'`,
      [id, browser.email],
    );
    await age('one_time_tokens', 'created_at', '5 days');
    await age('identities', 'created_at', '5 days');

    await secure(token);

    const left = await app.database.rows('SELECT subject FROM identities WHERE user_id = $1', [id]);
    expect(left).toEqual([{ subject: 'before' }]);
  });

  it('accepts a token once when 32 requests send it at once', async () => {
    const browser = await loggedIn(app);
    await app.browser().post('/auth/login', { email: browser.email, password: PASSWORD });
    const token = await alarmTo(browser.email, 'A new login to your account');

    const answers = await Promise.all(Array.from({ length: 32 }, () => secure(token)));

    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(31).fill(400)]);
    const subjects = (await app.mailbox.to(browser.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject === 'Set a new password')).toHaveLength(1);
  });

  it.each(['reset-password', 'change-email'])('refuses a token of another purpose: %s', async (purpose) => {
    const [person] = await crowd(app.database, 1);
    const token = await linkFor(app.database, person as Person, purpose);

    expect(await secure(token)).toMatchObject(refused);
  });

  it('accepts a token for seven days', async () => {
    const browser = await loggedIn(app);
    await loggedIn(app, browser.email);
    const token = await alarmTo(browser.email, 'A new login to your account');
    await age('one_time_tokens', 'expires_at', '6 days 23 hours 59 minutes');

    expect((await secure(token)).status).toBe(204);
  });

  it('refuses a token older than seven days', async () => {
    const browser = await loggedIn(app);
    await app.browser().post('/auth/login', { email: browser.email, password: PASSWORD });
    const token = await alarmTo(browser.email, 'A new login to your account');
    await age('one_time_tokens', 'expires_at', '7 days');

    expect(await secure(token)).toMatchObject(refused);
    expect((await browser.get('/users/me')).status).toBe(200);
  });
});
