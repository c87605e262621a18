import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS, freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { Held, inLockStep } from '../support/lock-step.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const change = (browser: Browser, new_email: string, current_password = PASSWORD) =>
  browser.post('/users/me/email', { new_email, current_password });
const confirm = (browser: Browser, token: string) => browser.post('/users/me/email/confirm', { token });
const login = (email: string) => app.browser().post('/auth/login', { email, password: PASSWORD });
const subjects = async (email: string) => (await app.mailbox.to(email)).map(({ subject }) => subject);
const tokensTo = async (email: string) =>
  (await app.mailbox.to(email)).flatMap(
    ({ text }) => /(?<!secure-account\?)token=(\S+)/.exec(text)?.[1] ?? [],
  );
const account = (email: string) => app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]);

/** A user who is logged in, and the token mailed to the address they want to change to. */
async function changing(newEmail = freshAddress()) {
  const browser = await loggedIn(app);
  await change(browser, newEmail);
  return { browser, newEmail, token: await app.mailbox.token(newEmail) };
}

const refused = { status: 400, body: { code: 'InvalidToken' } };

describe('POST /users/me/email', () => {
  it('mails a link to the new address and a notice to the old one, and changes nothing yet', async () => {
    const browser = await loggedIn(app);
    const [before] = await account(browser.email);
    const newEmail = freshAddress();

    expect(await change(browser, newEmail)).toMatchObject({ status: 202, text: '' });

    expect((await app.mailbox.last(newEmail)).text).toContain('http://localhost:5173/confirm-email?token=');
    expect((await app.mailbox.last(browser.email)).subject).toBe('Your email address is about to change');
    expect((await app.mailbox.last(browser.email)).text).not.toContain('confirm-email');
    expect(await account(browser.email)).toEqual([before]);
    expect((await login(newEmail)).status).toBe(401);
  });

  it('refuses a wrong password, and none', async () => {
    const browser = await loggedIn(app);
    const newEmail = freshAddress();

    for (const answer of [
      await change(browser, newEmail, 'not the password'),
      await browser.post('/users/me/email', { new_email: newEmail }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'IncorrectPassword' } });
    }
    expect(await app.mailbox.to(newEmail)).toEqual([]);
  });

  it('is refused once its session has ended while it waited for a lock, though there is no password to ask for', async () => {
    const browser = await loggedIn(app);
    await app.database.rows(
      'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE email = $1',
      [browser.email],
    );
    const newEmail = freshAddress();
    const [waiting] = await inLockStep(
      app.database,
      {
        sql: `WITH held AS (SELECT id FROM users WHERE email = $1 FOR UPDATE)
              UPDATE sessions SET invalidated_at = now() FROM held WHERE user_id = held.id`,
        parameters: [browser.email],
        waiting: 1,
      },
      () => [change(browser, newEmail)],
    );

    expect(waiting).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(await app.mailbox.to(newEmail)).toEqual([]);
  });

  it('asks for a session', async () => {
    expect((await change(app.browser(), freshAddress())).status).toBe(401);
  });

  it('answers for an address that has an account as for a free one, and mails its owner', async () => {
    const [browser, other] = [await loggedIn(app), await verified(app)];
    const newEmail = freshAddress();

    const [taken, free] = [await change(browser, other.toUpperCase()), await change(browser, newEmail)];

    expect({ ...taken, headers: null }).toEqual({ ...free, headers: null });
    expect(Object.keys(taken.headers)).toEqual(Object.keys(free.headers));
    expect((await subjects(other)).at(-1)).toBe('You already have an account');
    expect((await subjects(browser.email)).slice(-2)).toEqual([
      'Your email address is about to change',
      'Your email address is about to change',
    ]);
  });

  it('names the present address, masked, in the mail to the new one', async () => {
    const browser = await loggedIn(app);
    const newEmail = freshAddress();

    await change(browser, newEmail);

    const { text } = await app.mailbox.last(newEmail);
    expect(text.replaceAll('\u200b', '')).toContain('u…@example.com');
    expect(text).not.toContain(browser.email.split('@')[0]);
  });

  it('sends no second mail when the user asks twice within a minute, and keeps the first link valid', async () => {
    const browser = await loggedIn(app);
    const newEmail = freshAddress();

    const answers = await Promise.all([change(browser, newEmail), change(browser, newEmail)]);
    answers.push(await change(browser, newEmail.toUpperCase()));

    expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(3).fill([202, '']));
    expect(await subjects(newEmail)).toEqual(['Confirm your new email address']);
    expect((await subjects(browser.email)).filter((one) => /about to change/.test(one))).toHaveLength(1);
    expect((await confirm(browser, await app.mailbox.token(newEmail))).status).toBe(200);
  });

  it('sends no second mail within a minute to an address that has an account either', async () => {
    const [browser, other] = [await loggedIn(app), await verified(app)];
    const before = await subjects(other);

    for (const answer of [await change(browser, other), await change(browser, other)])
      expect(answer).toMatchObject({ status: 202, text: '' });

    expect(await subjects(other)).toEqual([...before, 'You already have an account']);
  });

  it.each([
    [
      'a minute has passed',
      `UPDATE one_time_tokens SET created_at = created_at - interval '61 seconds' WHERE sent_to = $1`,
    ],
    ['the first link is void', 'UPDATE one_time_tokens SET consumed_at = now() WHERE sent_to = $1'],
  ])('sends another mail once %s', async (_, sql) => {
    const { browser, newEmail } = await changing();
    await app.database.rows(sql, [newEmail]);

    expect((await change(browser, newEmail)).status).toBe(202);

    expect(await subjects(newEmail)).toHaveLength(2);
  });

  it('sends a mail of its own for another account that asks for the same address', async () => {
    const newEmail = freshAddress();
    await changing(newEmail);
    await changing(newEmail);

    expect(await subjects(newEmail)).toHaveLength(2);
  });

  it('takes as long for an address that has an account: the same statements, and as many mails', async () => {
    const [browser, other] = [await loggedIn(app), await verified(app)];

    const taken = await statementsDuring(() => change(browser, other));
    const free = await statementsDuring(() => change(browser, freshAddress()));

    expect(taken.length).toBeGreaterThan(0);
    expect(taken).toEqual(free);
  });

  it("refuses the caller's own address, also in other letters, and mails nothing", async () => {
    const browser = await loggedIn(app);
    const before = await subjects(browser.email);

    for (const own of [browser.email, ` ${browser.email.toUpperCase()} `])
      expect(await change(browser, own)).toMatchObject({
        status: 400,
        body: { code: 'ValidationFailed', errors: [{ field: 'new_email' }] },
      });

    expect(await subjects(browser.email)).toEqual(before);
  });
});

describe('a change of address that waits', () => {
  const waiting = async (browser: Browser) => (await browser.get('/users/me/email')).body.data;

  it('is shown to its user alone, the same for an address that has another account, until it is confirmed', async () => {
    const { browser, newEmail, token } = await changing();
    const [other, taken] = [await loggedIn(app), await verified(app)];
    await change(other, taken);
    const instants = { created_at: expect.any(String), expires_at: expect.any(String) };

    expect(await waiting(browser)).toEqual([{ new_email: newEmail, ...instants }]);
    expect(await waiting(other)).toEqual([{ new_email: taken, ...instants }]);
    await confirm(browser, token);
    expect(await waiting(browser)).toEqual([]);
    expect((await app.browser().get('/users/me/email')).status).toBe(401);
  });

  it('is no longer shown once its link is too old', async () => {
    const { browser } = await changing();
    await app.database.rows(`UPDATE one_time_tokens SET expires_at = now() WHERE purpose = 'change-email'`);

    expect(await waiting(browser)).toEqual([]);
  });

  it('is called off by its user, and nobody else: its link works no longer, and the record says so once', async () => {
    const { browser, token } = await changing();
    const other = await changing();

    for (const _ of [1, 2]) expect((await browser.delete('/users/me/email')).status).toBe(204);

    expect(await waiting(browser)).toEqual([]);
    expect(await confirm(browser, token)).toMatchObject(refused);
    expect(
      await app.database.rows(
        `SELECT 1 FROM audit_events e JOIN users u ON u.id = e.user_id
          WHERE u.email = $1 AND type = 'email.change_canceled'`,
        [browser.email],
      ),
    ).toHaveLength(1);
    expect((await confirm(other.browser, other.token)).status).toBe(200);
  });
});

describe('POST /users/me/email/confirm', () => {
  it('changes the address, mails the old one, and keeps password and session', async () => {
    const { browser, newEmail, token } = await changing();

    const { status, body } = await confirm(browser, token);

    expect({ status, body }).toMatchObject({
      status: 200,
      body: { user: { email: newEmail, email_verified: true } },
    });
    expect((await browser.get('/users/me')).body.user).toEqual(body.user);
    expect((await login(newEmail)).status).toBe(200);
    expect((await login(browser.email)).body.code).toBe('InvalidCredentials');
    expect(await account(browser.email)).toEqual([]);
    expect((await app.mailbox.last(browser.email)).subject).toBe('Your email address was changed');
    expect((await app.mailbox.last(browser.email)).text).not.toContain(newEmail);
  });

  it('asks for a session, and leaves the link valid', async () => {
    const { browser, newEmail, token } = await changing();

    expect(await confirm(app.browser(), token)).toMatchObject({
      status: 401,
      body: { code: 'Unauthenticated' },
    });

    expect(await account(newEmail)).toEqual([]);
    expect((await confirm(browser, token)).status).toBe(200);
  });

  it('refuses the session of another account with WrongAccount, and leaves the link valid', async () => {
    const [{ browser, newEmail, token }, stranger] = [await changing(), await loggedIn(app)];
    const before = [await account(browser.email), await account(stranger.email)];

    expect(await confirm(stranger, token)).toMatchObject({ status: 403, body: { code: 'WrongAccount' } });

    expect([await account(browser.email), await account(stranger.email)]).toEqual(before);
    expect(await account(newEmail)).toEqual([]);
    expect((await confirm(browser, token)).status).toBe(200);
  });

  it('accepts the link in any session of the account', async () => {
    const { browser, newEmail, token } = await changing();
    const elsewhere = await loggedIn(app, browser.email);

    expect((await confirm(elsewhere, token)).body.user.email).toBe(newEmail);
  });

  it('is the only endpoint that accepts the link: verify-email does not', async () => {
    const { browser, newEmail, token } = await changing();

    expect(await browser.post('/auth/verify-email', { token })).toMatchObject(refused);

    expect(await account(newEmail)).toEqual([]);
    expect((await confirm(browser, token)).status).toBe(200);
  });

  it.each(['reset-password', 'secure-account'])('refuses a token of another purpose: %s', async (purpose) => {
    const { browser, newEmail, token } = await changing();
    await app.database.rows('UPDATE one_time_tokens SET purpose = $2 WHERE sent_to = $1', [
      newEmail,
      purpose,
    ]);

    expect(await confirm(browser, token)).toMatchObject(refused);
    expect(await account(newEmail)).toEqual([]);
  });

  it('voids the links mailed before: to reset the password, and to change to another address', async () => {
    const { browser, token } = await changing();
    const elsewhere = freshAddress();
    await change(browser, elsewhere);
    await app.browser().post('/password/forgot', { email: browser.email });
    const reset = { token: await app.mailbox.token(browser.email), new_password: 'another pass phrase' };

    expect((await confirm(browser, token)).status).toBe(200);

    expect(await confirm(browser, await app.mailbox.token(elsewhere))).toMatchObject(refused);
    expect(await app.browser().post('/password/reset', reset)).toMatchObject(refused);
    const open = `SELECT 1 FROM one_time_tokens t JOIN users u ON u.id = user_id
                   WHERE u.email = (SELECT sent_to FROM one_time_tokens WHERE token_hash = sha256($1)) AND consumed_at IS NULL
                     AND purpose <> 'secure-account'`;
    expect(await app.database.rows(open, [token])).toEqual([]);
  });

  it('refuses a token that was used, is expired, or belongs to a disabled account', async () => {
    const [used, expired, disabled] = [await changing(), await changing(), await changing()];
    await confirm(used.browser, used.token);
    await app.database.rows(`UPDATE one_time_tokens SET expires_at = now() WHERE sent_to = $1`, [
      expired.newEmail,
    ]);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [
      disabled.browser.email,
    ]);

    for (const { browser, token } of [used, expired])
      expect(await confirm(browser, token)).toMatchObject(refused);
    expect((await confirm(disabled.browser, disabled.token)).status).toBe(401);
    expect(await account(expired.browser.email)).toHaveLength(1);
    expect(await account(disabled.browser.email)).toHaveLength(1);
  });

  it('accepts a link for 24 hours', async () => {
    const { newEmail } = await changing();
    const lifetime = `SELECT extract(epoch FROM expires_at - created_at)::int FROM one_time_tokens WHERE sent_to = $1`;
    expect(await app.database.value(lifetime, [newEmail])).toBe(86_400);
  });

  it('refuses a token when the password was changed after the user asked for it', async () => {
    const [updated, reset] = [await changing(), await changing()];
    const new_password = 'another pass phrase';
    await updated.browser.post('/password/update', { current_password: PASSWORD, new_password });
    await app.browser().post('/password/forgot', { email: reset.browser.email });
    await app
      .browser()
      .post('/password/reset', { token: await app.mailbox.token(reset.browser.email), new_password });

    const again = await loggedIn(app, reset.browser.email, new_password);

    expect(await confirm(updated.browser, updated.token)).toMatchObject(refused);
    expect(await confirm(again, reset.token)).toMatchObject(refused);
  });

  it('does not set a password', async () => {
    const { token } = await changing();
    const reset = { token, new_password: 'another pass phrase' };

    expect(await app.browser().post('/password/reset', reset)).toMatchObject(refused);
  });

  it('deletes no other account: one that has got the address meanwhile keeps it', async () => {
    const { browser, newEmail, token } = await changing();
    await app.database.rows(`INSERT INTO users (id, email) VALUES (gen_random_uuid(), $1)`, [newEmail]);
    const before = [await account(browser.email), await account(newEmail)];

    expect(await confirm(browser, token)).toMatchObject(refused);

    expect([await account(browser.email), await account(newEmail)]).toEqual(before);
  });

  it('refuses an address that another user has verified meanwhile, and changes neither account', async () => {
    const { browser, newEmail, token } = await changing();
    await verified(app, { email: newEmail });
    const before = [await account(browser.email), await account(newEmail)];

    expect(await confirm(browser, token)).toMatchObject(refused);

    expect([await account(browser.email), await account(newEmail)]).toEqual(before);
    expect(await subjects(browser.email)).not.toContain('Your email address was changed');
  });

  it('moves nothing once its session has ended while it waited for a lock', async () => {
    const { browser, newEmail, token } = await changing();
    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [
      browser.email,
    ]);
    const confirmed = confirm(browser, token);
    await held.untilWaiting(1);
    await held.run('UPDATE sessions SET invalidated_at = now() WHERE invalidated_at IS NULL');
    await held.release();

    expect(await confirmed).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(await account(newEmail)).toEqual([]);
    expect((await confirm(await loggedIn(app, browser.email), token)).status).toBe(200);
  });

  it('lets exactly one of 32 uses at once succeed', async () => {
    const { browser, newEmail, token } = await changing();

    const answers = await inLockStep(
      app.database,
      { sql: 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', parameters: [browser.email], waiting: 8 },
      () => Array.from({ length: 32 }, () => confirm(browser, token)),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(31);
    expect(await account(newEmail)).toHaveLength(1);
    expect(
      (await subjects(browser.email)).filter((one) => one === 'Your email address was changed'),
    ).toHaveLength(1);
  });

  it('gives an address to one of 8 accounts that change to it at once', async () => {
    const newEmail = freshAddress();
    const asking: Awaited<ReturnType<typeof changing>>[] = [];
    for (let person = 0; person < 8; person++) asking.push(await changing(newEmail));

    const squatter = `INSERT INTO users (id, email) VALUES (gen_random_uuid(), $1)`;
    const answers = await inLockStep(
      app.database,
      { sql: squatter, parameters: [newEmail], waiting: 8, end: 'ROLLBACK' },
      () => asking.map(({ browser, token }) => confirm(browser, token)),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    expect(await account(newEmail)).toHaveLength(1);
  });

  it('voids a link to the old address that a user asks for at the same moment', async () => {
    const { browser, token } = await changing();
    const forgot = () => app.browser().post('/password/forgot', { email: browser.email });

    await Promise.all([confirm(browser, token), ...Array.from({ length: 8 }, forgot)]);

    for (const link of await tokensTo(browser.email)) {
      const reset = { token: link, new_password: 'another pass phrase' };
      expect(await app.browser().post('/password/reset', reset)).toMatchObject(refused);
    }
  });
});
