import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { inLockStep } from '../support/lock-step.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const change = (browser: Browser, new_email: string, current_password = PASSWORD) =>
  browser.post('/users/me/email', { new_email, current_password });
const verify = (token: string) => app.browser().post('/auth/verify-email', { token });
const login = (email: string) => app.browser().post('/auth/login', { email, password: PASSWORD });
const subjects = async (email: string) => (await app.mailbox.to(email)).map(({ subject }) => subject);
const tokensTo = async (email: string) =>
  (await app.mailbox.to(email)).flatMap(
    ({ text }) => /(?<!secure-account\?)token=(\S+)/.exec(text)?.[1] ?? [],
  );
const account = (email: string) => app.database.rows('SELECT * FROM users WHERE email = $1', [email]);

/** Somebody logged in, and the token mailed to the address they want to change to. */
async function changing(newEmail = freshAddress()) {
  const browser = await loggedIn(app);
  await change(browser, newEmail);
  return { browser, newEmail, token: await app.mailbox.token(newEmail) };
}

const refused = { status: 400, body: { code: 'InvalidToken' } };

describe('POST /users/me/email', () => {
  it('mails a link to the new address, tells the old one, and changes nothing yet', async () => {
    const browser = await loggedIn(app);
    const [before] = await account(browser.email);
    const newEmail = freshAddress();

    expect(await change(browser, newEmail)).toMatchObject({ status: 202, text: '' });

    expect((await app.mailbox.last(newEmail)).text).toContain('http://localhost:5173/verify-email?token=');
    expect((await app.mailbox.last(browser.email)).subject).toBe('Your email address is about to change');
    expect((await app.mailbox.last(browser.email)).text).not.toContain('verify-email');
    expect(await account(browser.email)).toEqual([before]);
    expect((await login(newEmail)).status).toBe(401);
  });

  it('refuses a wrong password, and an account without one', async () => {
    const [browser, passwordless] = [await loggedIn(app), await loggedIn(app)];
    await app.database.rows(
      'UPDATE users SET password_hash = NULL, password_changed_at = NULL WHERE email = $1',
      [passwordless.email],
    );
    const newEmail = freshAddress();

    for (const answer of [
      await change(browser, newEmail, 'not the password'),
      await change(passwordless, newEmail),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'IncorrectPassword' } });
    }
    expect(await app.mailbox.to(newEmail)).toEqual([]);
  });

  it('asks for a session', async () => {
    expect((await change(app.browser(), freshAddress())).status).toBe(401);
  });

  it('answers for an address that has an account as for a free one, and tells its owner', async () => {
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
    expect(await app.database.rows(`SELECT 1 FROM one_time_tokens WHERE sent_to = $1`, [other])).toHaveLength(
      1,
    );
  });

  it('takes as long for an address that has an account: the same statements, and as many mails', async () => {
    const [browser, other] = [await loggedIn(app), await verified(app)];

    const taken = await statementsDuring(() => change(browser, other));
    const free = await statementsDuring(() => change(browser, freshAddress()));

    expect(taken.length).toBeGreaterThan(0);
    expect(taken).toEqual(free);
  });

  it("takes the caller's own address for one that has an account", async () => {
    const browser = await loggedIn(app);

    expect((await change(browser, browser.email)).status).toBe(202);

    expect(await subjects(browser.email)).toContain('You already have an account');
    expect(await tokensTo(browser.email)).toHaveLength(1);
  });
});

describe('POST /auth/verify-email with a token mailed to a new address', () => {
  it('changes the address, tells the old one, and leaves password and session', async () => {
    const { browser, newEmail, token } = await changing();

    expect(await verify(token)).toMatchObject({
      status: 200,
      body: { email: newEmail, email_verified: true },
    });

    expect((await browser.get('/users/me')).body.user).toMatchObject({
      email: newEmail,
      email_verified: true,
    });
    expect((await login(newEmail)).status).toBe(200);
    expect((await login(browser.email)).body.code).toBe('InvalidCredentials');
    expect(await account(browser.email)).toEqual([]);
    expect((await app.mailbox.last(browser.email)).subject).toBe('Your email address was changed');
    expect((await app.mailbox.last(browser.email)).text).not.toContain(newEmail);
  });

  it('voids the links mailed before: to reset the password, and to change to another address', async () => {
    const { browser, token } = await changing();
    const elsewhere = freshAddress();
    await change(browser, elsewhere);
    await app.browser().post('/password/forgot', { email: browser.email });
    const reset = { token: await app.mailbox.token(browser.email), new_password: 'another pass phrase' };

    expect((await verify(token)).status).toBe(200);

    expect(await verify(await app.mailbox.token(elsewhere))).toMatchObject(refused);
    expect(await app.browser().post('/password/reset', reset)).toMatchObject(refused);
    const open = `SELECT 1 FROM one_time_tokens t JOIN users u ON u.id = user_id
                   WHERE u.email = (SELECT sent_to FROM one_time_tokens WHERE token_hash = sha256($1)) AND consumed_at IS NULL
                     AND purpose <> 'secure-account'`;
    expect(await app.database.rows(open, [token])).toEqual([]);
  });

  it('refuses a token that was used, is expired, or belongs to a disabled account', async () => {
    const [used, expired, disabled] = [await changing(), await changing(), await changing()];
    await verify(used.token);
    await app.database.rows(`UPDATE one_time_tokens SET expires_at = now() WHERE sent_to = $1`, [
      expired.newEmail,
    ]);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [
      disabled.browser.email,
    ]);

    for (const { token } of [used, expired, disabled]) expect(await verify(token)).toMatchObject(refused);
    expect(await account(expired.browser.email)).toHaveLength(1);
    expect(await account(disabled.browser.email)).toHaveLength(1);
  });

  it('is good for 24 hours', async () => {
    const { newEmail } = await changing();
    const lifetime = `SELECT extract(epoch FROM expires_at - created_at)::int FROM one_time_tokens WHERE sent_to = $1`;
    expect(await app.database.value(lifetime, [newEmail])).toBe(86_400);
  });

  it('refuses a token that was asked for with a password changed since', async () => {
    const [updated, reset] = [await changing(), await changing()];
    const new_password = 'another pass phrase';
    await updated.browser.post('/password/update', { current_password: PASSWORD, new_password });
    await app.browser().post('/password/forgot', { email: reset.browser.email });
    await app
      .browser()
      .post('/password/reset', { token: await app.mailbox.token(reset.browser.email), new_password });

    for (const { token } of [updated, reset]) expect(await verify(token)).toMatchObject(refused);
  });

  it('does not set a password', async () => {
    const { token } = await changing();
    const reset = { token, new_password: 'another pass phrase' };

    expect(await app.browser().post('/password/reset', reset)).toMatchObject(refused);
  });

  it('takes the address back from whoever signed up with it meanwhile and never verified it', async () => {
    const { browser, newEmail, token } = await changing();
    const squatter = { org_name: 'Squatted', email: newEmail, password: PASSWORD };
    await app.browser().post('/auth/signup-org', squatter);
    const [{ id, org_id }] = await account(newEmail);

    const events = await eventsAfter(app, async () => expect((await verify(token)).status).toBe(200));

    expect((await browser.get('/users/me')).body.user.email).toBe(newEmail);
    expect(events).toMatchObject([
      { type: 'account.deleted', user_id: id, org_id },
      { type: 'email.changed' },
    ]);
    expect(await app.database.rows('SELECT 1 FROM organizations WHERE id = $1', [org_id])).toEqual([]);
  });

  it.each([
    ['is to be a SYSTEM_ADMIN', `UPDATE users SET role = 'sys_admin' WHERE id = $1`],
    [
      'has founded an organization that others joined',
      `INSERT INTO users (id, email, role, org_id)
       SELECT gen_random_uuid(), id || '@example.com', 'member', org_id FROM users WHERE id = $1`,
    ],
  ])('leaves the address to an account that never verified it, but %s', async (_, sql) => {
    const { newEmail, token } = await changing();
    const founder = { org_name: 'Initech', email: newEmail, password: PASSWORD };
    await app.browser().post('/auth/signup-org', founder);
    const [{ id }] = await account(newEmail);
    await app.database.rows(sql, [id]);
    const before = await account(newEmail);

    expect(await verify(token)).toMatchObject(refused);

    expect(await account(newEmail)).toEqual(before);
  });

  it('refuses an address that somebody else has verified meanwhile, and leaves both as they were', async () => {
    const { browser, newEmail, token } = await changing();
    await verified(app, { email: newEmail });
    const before = [await account(browser.email), await account(newEmail)];

    expect(await verify(token)).toMatchObject(refused);

    expect([await account(browser.email), await account(newEmail)]).toEqual(before);
    expect(await subjects(browser.email)).not.toContain('Your email address was changed');
  });

  it('lets exactly one of 32 uses at once succeed', async () => {
    const { browser, newEmail, token } = await changing();

    const answers = await inLockStep(
      app.database,
      { sql: 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', parameters: [browser.email], waiting: 8 },
      () => Array.from({ length: 32 }, () => verify(token)),
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
    for (let asking = 0; asking < 8; asking++) await changing(newEmail);

    const tokens = await tokensTo(newEmail);
    const squatter = `INSERT INTO users (id, email, role) VALUES (gen_random_uuid(), $1, 'member')`;
    const answers = await inLockStep(
      app.database,
      { sql: squatter, parameters: [newEmail], waiting: 8, end: 'ROLLBACK' },
      () => tokens.map(verify),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    expect(await account(newEmail)).toHaveLength(1);
  });

  it('gives an address to the change or to the signup that come at once', async () => {
    const { newEmail, token } = await changing();

    const [changed, signup] = await Promise.all([
      verify(token),
      app.browser().post('/auth/signup', { email: newEmail, password: PASSWORD }),
    ]);

    expect([200, 400]).toContain(changed.status);
    expect(signup.status).toBe(202);
    expect(await account(newEmail)).toHaveLength(1);
  });

  it('leaves no link to the old address, asked for at the same moment, that would work', async () => {
    const { browser, token } = await changing();
    const forgot = () => app.browser().post('/password/forgot', { email: browser.email });

    await Promise.all([verify(token), ...Array.from({ length: 8 }, forgot)]);

    for (const link of await tokensTo(browser.email)) {
      const reset = { token: link, new_password: 'another pass phrase' };
      expect(await app.browser().post('/password/reset', reset)).toMatchObject(refused);
    }
  });
});
