import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import {
  completedSignup,
  freshAddress,
  loggedIn,
  PASSWORD,
  signedUp,
  verified,
} from '../support/accounts.js';
import { Held, inLockStep } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';

const NEW_PASSWORD = 'staple battery horse correct';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const forgot = (email: string) => app.browser().post('/password/forgot', { email });
const reset = (token: string, new_password = NEW_PASSWORD) =>
  app.browser().post('/password/reset', { token, new_password });
const login = (email: string, password: string) => app.browser().post('/auth/login', { email, password });

async function resetToken(email: string): Promise<string> {
  await forgot(email);
  return await app.mailbox.token(email);
}

describe('POST /password/forgot', () => {
  it('answers alike for a known and a disabled address, one that has only signed up, and an unknown one', async () => {
    const [known, waiting, disabled, unknown] = [
      await verified(app),
      await signedUp(app),
      await verified(app),
      freshAddress(),
    ];
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [disabled]);

    const answers = [
      await forgot(known),
      await forgot(waiting),
      await forgot(disabled),
      await forgot(unknown),
    ];

    for (const answer of answers) {
      expect(answer.status).toBe(202);
      expect(answer.text).toBe(answers[0]?.text);
      expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]?.headers ?? {}));
    }
    expect((await app.mailbox.last(known)).text).toContain('http://localhost:5173/reset-password?token=');
    expect((await app.mailbox.last(waiting)).subject).toBe('Confirm your email address');
    expect(await app.mailbox.to(disabled)).toEqual([]);
    expect(await app.mailbox.to(unknown)).toEqual([]);
  });

  it('does not hold one account while it waits for another', async () => {
    const [one, other] = [await verified(app), await verified(app)];
    const lock = 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE';

    const held = await Held.by(app.database, lock, [other]);
    await app.database.rows(
      `WITH request AS (
         INSERT INTO link_requests (id, purpose, email)
         VALUES ($1, 'reset-password', $2), ($3, 'reset-password', $4) RETURNING id
       )
       SELECT pg_notify('link_requests', '') FROM request`,
      [uuidv7(), one, uuidv7(), other],
    );
    await held.untilWaiting(1);
    await held.run(`SELECT 1 FROM users WHERE email = '${one}' FOR UPDATE NOWAIT`);
    await held.release();

    expect((await app.mailbox.last(one)).subject).toBe('Set a new password');
    expect((await app.mailbox.last(other)).subject).toBe('Set a new password');
  });
});

describe('POST /password/reset/preview', () => {
  const preview = (token: string) => app.browser().post('/password/reset/preview', { token });

  it('tells the holder of a token whose password it sets, as often as they ask, and uses nothing up', async () => {
    const email = await verified(app);
    const token = await resetToken(email);

    for (const _ of [1, 2]) expect(await preview(token)).toMatchObject({ status: 200, body: { email } });
    expect((await reset(token)).status).toBe(204);
  });

  it('tells nobody else an address: not for a used, late, foreign or guessed token, nor of a disabled account', async () => {
    const [used, late, disabled] = [await verified(app), await verified(app), await verified(app)];
    const [usedToken, lateToken, disabledToken] = [
      await resetToken(used),
      await resetToken(late),
      await resetToken(disabled),
    ];
    await reset(usedToken);
    await app.database.rows(
      `UPDATE one_time_tokens SET expires_at = now()
        WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
      [late],
    );
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [disabled]);
    const browser = await loggedIn(app);
    await browser.post('/users/me/email', { new_email: freshAddress(), current_password: PASSWORD });
    const secures = await app.mailbox.token(browser.email);

    for (const token of [usedToken, lateToken, disabledToken, secures, 'A'.repeat(43)]) {
      const answer = await preview(token);
      expect(answer).toMatchObject({ status: 400, body: { code: 'InvalidToken' } });
      expect(answer.text).not.toContain('@');
    }
  });
});

describe('POST /password/reset', () => {
  it('does not wait for a request that holds the organization, since that one may wait for the user', async () => {
    const { email } = await completedSignup(app, { path: '/auth/signup-org', org_name: 'Analytical' });
    await forgot(email);
    const token = await app.mailbox.token(email);

    const held = await Held.by(app.database, 'SELECT 1 FROM organizations FOR UPDATE', []);
    expect((await reset(token)).status).toBe(204);
    await held.release();
  });

  it('is recorded in no organization that its user has left while it waited', async () => {
    const { email } = await completedSignup(app, { path: '/auth/signup-org', org_name: 'Analytical' });
    const token = await resetToken(email);

    const held = await Held.by(app.database, 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', [email]);
    const waiting = reset(token);
    await held.untilWaiting(1);
    await held.run(`DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = '${email}')`);
    await held.release();

    expect((await waiting).status).toBe(204);
    const recorded = `SELECT e.org_id FROM audit_events e JOIN users u ON u.id = e.user_id
                       WHERE u.email = $1 AND e.type = 'password.reset'`;
    expect(await app.database.rows(recorded, [email])).toEqual([{ org_id: null }]);
  });

  it('sets the new password, ends every session at once and mails the owner', async () => {
    const browser = await loggedIn(app);

    const answer = await reset(await resetToken(browser.email));

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await browser.get('/users/me')).status).toBe(401);
    expect((await app.mailbox.last(browser.email)).subject).toBe('Your password was changed');
    expect((await login(browser.email, PASSWORD)).status).toBe(401);
    expect((await login(browser.email, NEW_PASSWORD)).status).toBe(200);
  });

  it('verifies the address it was mailed to', async () => {
    const email = await verified(app);
    await app.database.rows('UPDATE users SET email_verified_at = NULL WHERE email = $1', [email]);

    await reset(await resetToken(email));

    expect((await login(email, NEW_PASSWORD)).body.user.email_verified).toBe(true);
  });

  it('voids the other reset tokens of the user', async () => {
    const email = await verified(app);
    const sibling = await resetToken(email);

    expect((await reset(await resetToken(email))).status).toBe(204);

    expect((await reset(sibling)).body.code).toBe('InvalidToken');
  });

  it('lets exactly one of 32 uses at once succeed', async () => {
    const email = await verified(app);
    const token = await resetToken(email);
    const passwords = Array.from({ length: 32 }, (_, index) => `pass phrase number ${index}`);

    const answers = await inLockStep(
      app.database,
      { sql: 'SELECT 1 FROM users WHERE email = $1 FOR UPDATE', parameters: [email], waiting: 8 },
      () => passwords.map((password) => reset(token, password)),
    );

    const winners = passwords.filter((_, index) => answers[index]?.status === 204);
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(31);
    expect((await login(email, winners[0] ?? '')).status).toBe(200);
  });

  it('keeps the token when the new password is weak', async () => {
    const email = await verified(app);
    const token = await resetToken(email);

    const answer = await reset(token, 'password');

    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'WeakPassword', errors: [{ field: 'new_password' }] },
    });
    expect((await reset(token)).status).toBe(204);
  });

  it('accepts a token for an hour, and not longer', async () => {
    const [early, late] = [await verified(app), await verified(app)];
    const tokens = { early: await resetToken(early), late: await resetToken(late) };
    const age = 'UPDATE one_time_tokens SET expires_at = expires_at - $2::interval WHERE sent_to = $1';
    await app.database.rows(age, [early, '59 minutes']);
    await app.database.rows(age, [late, '1 hour']);

    expect((await reset(tokens.early)).status).toBe(204);
    expect((await reset(tokens.late)).body.code).toBe('InvalidToken');
  });

  it('refuses a token that is unknown, expired, or for another purpose', async () => {
    const [expired, waiting] = [await verified(app), await signedUp(app)];
    const token = await resetToken(expired);
    await app.database.rows(`UPDATE one_time_tokens SET expires_at = now() WHERE sent_to = $1`, [expired]);

    for (const bad of ['never-issued', token, await app.mailbox.token(waiting)]) {
      expect(await reset(bad)).toMatchObject({ status: 400, body: { code: 'InvalidToken' } });
    }
    expect((await login(expired, PASSWORD)).status).toBe(200);
  });

  it('names the missing fields of a body with only an address', async () => {
    const answer = await app.browser().post('/password/reset', { email: 'ada@example.com' });

    expect(answer).toMatchObject({ status: 400, body: { code: 'ValidationFailed' } });
    const fields = answer.body.errors.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(expect.arrayContaining(['token', 'new_password']));
  });
});

describe('POST /password/update', () => {
  const change = { current_password: PASSWORD, new_password: NEW_PASSWORD };

  it('sets the new password, ends the other sessions at once, renews this one and mails the owner', async () => {
    const browser = await loggedIn(app);
    const [other, earlier] = [await loggedIn(app, browser.email), app.browser()];
    earlier.jar.set('session_id', browser.jar.get('session_id') ?? '');

    const answer = await browser.post('/password/update', change);

    expect(answer).toMatchObject({ status: 204, text: '' });
    expect((await browser.get('/users/me')).status).toBe(200);
    expect((await other.get('/users/me')).status).toBe(401);
    expect((await earlier.get('/users/me')).status).toBe(401);
    expect((await app.mailbox.last(browser.email)).subject).toBe('Your password was changed');
    expect((await login(browser.email, PASSWORD)).status).toBe(401);
    expect((await login(browser.email, NEW_PASSWORD)).status).toBe(200);
  });

  it('voids the reset links that are on their way', async () => {
    const browser = await loggedIn(app);
    const token = await resetToken(browser.email);

    await browser.post('/password/update', change);

    expect((await reset(token, 'yet another pass phrase')).body.code).toBe('InvalidToken');
  });

  it('refuses a wrong current password and changes nothing', async () => {
    const browser = await loggedIn(app);
    const wrong = { ...change, current_password: 'not the password' };

    expect(await browser.post('/password/update', wrong)).toMatchObject({
      status: 400,
      body: { code: 'IncorrectPassword' },
      cookies: [],
    });
    expect((await login(browser.email, PASSWORD)).status).toBe(200);
  });

  it('refuses a weak new password by its field', async () => {
    const browser = await loggedIn(app);
    const answer = await browser.post('/password/update', { ...change, new_password: browser.email });

    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'WeakPassword', errors: [{ field: 'new_password' }] },
    });
  });

  it('changes nothing and gives no fresh token when the session ends meanwhile', async () => {
    const browser = await loggedIn(app);
    const { email } = browser;
    const sessions =
      'SELECT id, token_hash FROM sessions WHERE user_id = (SELECT id FROM users WHERE email = $1)';
    const before = await app.database.rows(sessions, [email]);

    const [answer] = await inLockStep(
      app.database,
      {
        sql: `UPDATE sessions SET invalidated_at = now() WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
        parameters: [email],
        waiting: 1,
      },
      () => [browser.post('/password/update', { current_password: PASSWORD, new_password: NEW_PASSWORD })],
    );

    expect(answer).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
    expect(answer?.cookies.filter((cookie) => !cookie.includes('Max-Age=0'))).toEqual([]);
    expect(await app.database.rows(sessions, [email])).toEqual(before);
    expect((await browser.get('/users/me')).status).toBe(401);
    expect((await login(email, PASSWORD)).status).toBe(200);
    const mailed = (await app.mailbox.to(email)).map(({ subject }) => subject);
    expect(mailed).not.toContain('Your password was changed');
  });

  it('lets exactly one of 8 changes at once succeed', async () => {
    const browser = await loggedIn(app);
    const cookie = `session_id=${browser.jar.get('session_id')}`;
    const passwords = Array.from({ length: 8 }, (_, index) => `pass phrase number ${index}`);

    const answers = await Promise.all(
      passwords.map((new_password) =>
        app.browser({ cookie }).post('/password/update', { ...change, new_password }),
      ),
    );

    const winners = passwords.filter((_, index) => answers[index]?.status === 204);
    expect(winners).toHaveLength(1);
    expect(answers.every(({ status }) => [204, 400, 401].includes(status))).toBe(true);
    expect((await login(browser.email, winners[0] ?? '')).status).toBe(200);
  });

  it('ends a login with the old password that was under way without a session', async () => {
    const email = await verified(app);
    const changing = 'UPDATE users SET password_changed_at = now() WHERE email = $1';

    // The password has matched already when the change is committed.
    const [answer] = await inLockStep(
      app.database,
      { sql: changing, parameters: [email], waiting: 1 },
      () => [login(email, PASSWORD)],
    );

    expect(answer).toMatchObject({ status: 401, body: { code: 'InvalidCredentials' }, cookies: [] });
    const sessions = 'SELECT 1 FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1';
    expect(await app.database.rows(sessions, [email])).toEqual([]);
  });
});
