import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { detailsOf } from '../support/audit.js';
import { appOwner } from '../support/authenticator-app.js';
import type { Browser } from '../support/browser.js';
import { Held, inLockStep } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';

const COOKIE = 'session_id_device';
const SUBJECT = 'A new login to your account';
const NEW_PASSWORD = 'staple battery horse correct';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_CRON_SECRET: 'the secret of the scheduler and of the tests' });
});
afterAll(() => app.close());

const login = (browser: Browser, email: string, password = PASSWORD) =>
  browser.post('/auth/login', { email, password }, { 'user-agent': 'Mosaic/2.7 (https://evil.example)' });
const tokenOf = (browser: Browser) => browser.jar.get(COOKIE) ?? '';
/** The mails about new logins to an account. */
const news = async (email: string) =>
  (await app.mailbox.to(email)).filter(({ subject }) => subject === SUBJECT);

/** When a browser was last seen by a user, or undefined where it is not known. */
async function lastSeen(browser: Browser, email: string): Promise<Date | undefined> {
  return app.database.value(
    `SELECT last_seen_at FROM known_devices d JOIN users u ON u.id = d.user_id
      WHERE d.token_hash = ANY($1) AND u.email = $2`,
    [
      tokenOf(browser)
        .split('.')
        .map((token) => createHash('sha256').update(token).digest()),
      email,
    ],
  );
}

/** Moves everything known of an account's devices some time into the past. */
async function ageDevices(email: string, age: string): Promise<void> {
  await app.database.rows(
    `UPDATE known_devices SET last_seen_at = last_seen_at - $2::interval
      WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
    [email, age],
  );
}

/** Lets two hours pass for the mails to an account, so that the next login is not gathered with them. */
async function ageMails(email: string): Promise<void> {
  await app.mailbox.to(email);
  await app.database.rows(
    `UPDATE outbox_mails SET created_at = created_at - interval '2 hours' WHERE recipient = $1`,
    [email],
  );
}

describe('the device cookie', () => {
  it.each([
    ['dev', 'Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax'],
    ['prod', 'Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax'],
    ['staging', 'Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax'],
  ])('comes in %s with a login and the attributes %s', async (environment, attributes) => {
    const email = await verified(app);
    const other = await TestApp.start(
      { SVC_ENVIRONMENT: environment, SVC_SESSION_COOKIE_NAME: '__Host-login' },
      { database: app.database },
    );
    const { cookies } = await login(other.browser({}), email);
    await other.nest.close();

    expect(cookies[1]).toMatch(/^__Host-login_device=[\w-]{43}; /);
    expect(cookies[1]?.replace(/^.*?; /, '')).toBe(attributes);
  });

  it('holds a token of which the database knows only the SHA-256', async () => {
    const browser = await loggedIn(app);

    const [{ token_hash, row }] = await app.database.rows(
      `SELECT token_hash, row_to_json(d)::text AS row FROM known_devices d
        WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
      [browser.email],
    );
    expect(token_hash).toEqual(createHash('sha256').update(tokenOf(browser)).digest());
    expect(row).not.toContain(tokenOf(browser));
  });

  it('stays the same from login to login, and outlasts the logout', async () => {
    const browser = await loggedIn(app);
    const token = tokenOf(browser);
    await browser.post('/auth/logout');
    expect(tokenOf(browser)).toBe(token);
    await ageDevices(browser.email, '30 days');

    const { cookies } = await login(browser, browser.email);

    expect(cookies[1]).toMatch(new RegExp(`^${COOKIE}=${token}; Max-Age=31536000; `));
    expect(Date.now() - Number(await lastSeen(browser, browser.email))).toBeLessThan(60_000);
  });

  it('is neither set nor read by a login that fails', async () => {
    const browser = await loggedIn(app);
    await ageDevices(browser.email, '30 days');
    const before = await lastSeen(browser, browser.email);

    const known = await login(browser, browser.email, 'not the password');
    const unknown = await login(app.browser(), browser.email, 'not the password');

    expect([known.cookies, unknown.cookies]).toEqual([[], []]);
    expect(await lastSeen(browser, browser.email)).toEqual(before);
  });

  it('is not set by a login whose account is disabled while it is under way', async () => {
    const email = await verified(app);
    const disable = { sql: 'UPDATE users SET disabled_at = now() WHERE email = $1', parameters: [email] };

    const [answer] = await inLockStep(app.database, { ...disable, waiting: 1 }, () => [
      login(app.browser(), email),
    ]);

    expect(answer).toMatchObject({ status: 401, cookies: [] });
    const devices =
      'SELECT count(*)::int FROM known_devices d JOIN users u ON u.id = d.user_id WHERE u.email = $1';
    expect(await app.database.value(devices, [email])).toBe(0);
  });

  it('is replaced at the login of a user whose account does not know it: an attacker may have planted it', async () => {
    const attacker = await loggedIn(app);
    const email = await verified(app);
    const victim = app.browser();
    victim.jar.set(COOKIE, tokenOf(attacker));

    await login(victim, email);

    expect(tokenOf(victim)).not.toBe(tokenOf(attacker));
    expect(await lastSeen(attacker, email)).toBeUndefined();
  });
});

describe('a copy of the device cookie', () => {
  it('takes the known browser from nobody, when its holder logs in to an account of their own', async () => {
    const owner = await loggedIn(app);
    const thief = app.browser();
    thief.jar.set(COOKIE, tokenOf(owner));

    await login(thief, await verified(app));
    await login(owner, owner.email);

    expect(await news(owner.email)).toEqual([]);
    expect(await lastSeen(owner, owner.email)).toBeInstanceOf(Date);
  });
});

describe('logins from many new browsers within an hour', () => {
  it('are two mails: one at once, and one at the end of the hour that lists the others', async () => {
    const { email } = await loggedIn(app);
    for (let logins = 0; logins < 4; logins++) await login(app.browser(), email);

    expect(await news(email)).toHaveLength(1);
    const waiting = `FROM outbox_mails WHERE recipient = $1 AND kind = 'new-logins' AND finished_at IS NULL`;
    expect(await app.database.value(`SELECT count(*)::int ${waiting}`, [email])).toBe(1);
    const minutes = `SELECT extract(epoch FROM due_at - now())::int / 60 ${waiting}`;
    expect(await app.database.value(minutes, [email])).toBeGreaterThan(50);

    await app.database.rows(
      `UPDATE outbox_mails SET due_at = due_at - interval '1 hour', created_at = created_at - interval '1 hour'
        WHERE recipient = $1`,
      [email],
    );
    await app.database.rows('NOTIFY outbox');

    const { subject, text } = await app.mailbox.last(email);
    expect(subject).toBe('More logins to your account');
    expect(text.match(/ from 127\.0\.0\.1, on /g)).toHaveLength(3);
    expect(text).toContain('http://localhost:5173/secure-account?token=');

    await login(app.browser(), email);
    expect(await news(email)).toHaveLength(2);
  });

  it('do not hold up the mail about another change', async () => {
    const browser = await loggedIn(app);
    for (let logins = 0; logins < 2; logins++) await login(app.browser(), browser.email);

    await browser.post('/password/update', { current_password: PASSWORD, new_password: NEW_PASSWORD });

    expect((await app.mailbox.last(browser.email)).subject).toBe('Your password was changed');
  });
});

describe('a right password that stops at the second step', () => {
  it('leaves an event each time, and a mail once a day where the account does not know the browser', async () => {
    const owner = await appOwner(app);
    const told = async () =>
      (await app.mailbox.to(owner.email)).filter(({ subject }) => /waits for its second step/.test(subject));
    await login(owner.browser, owner.email);
    expect(await told()).toEqual([]);

    for (let logins = 0; logins < 2; logins++) await login(app.browser(), owner.email);

    expect(await detailsOf(app, owner.id, 'login.pending')).toEqual(
      Array(3).fill({ auth_method: 'password' }),
    );
    const [mail, ...others] = await told();
    expect(mail?.text).toContain('http://localhost:5173/secure-account?token=');
    expect(others).toEqual([]);

    await app.database.rows(
      `UPDATE outbox_mails SET created_at = created_at - interval '1 day' WHERE recipient = $1`,
      [owner.email],
    );
    await login(app.browser(), owner.email);
    expect(await told()).toHaveLength(2);
  });
});

describe('the mail about a new login', () => {
  it('names the time, the place and the program of the login, and links to nothing the client chose', async () => {
    const { email } = await loggedIn(app);

    await login(app.browser(), email);

    expect(await news(email)).toHaveLength(1);
    const { text } = await app.mailbox.last(email);
    expect(text).toMatch(/ from 127\.0\.0\.1, on \d+ \w+ \d{4} at \d\d:\d\d UTC/);
    expect(text).toContain('http://localhost:5173/secure-account?token=');
    expect(text).not.toContain('evil.example');
  });

  it('is not sent for the first device of an account, nor for one it knows', async () => {
    const browser = await loggedIn(app);

    await login(browser, browser.email);

    expect(await news(browser.email)).toEqual([]);
  });

  it('is sent for the only device of an account so old that the service may have forgotten others', async () => {
    const email = await verified(app);
    await app.database.rows(`UPDATE users SET created_at = now() - interval '366 days' WHERE email = $1`, [
      email,
    ]);

    await login(app.browser(), email);

    expect(await news(email)).toHaveLength(1);
  });

  it('is sent again for a device that was not seen for a year', async () => {
    const browser = await loggedIn(app);
    await ageDevices(browser.email, '366 days');

    await login(browser, browser.email);

    expect(await news(browser.email)).toHaveLength(1);
  });

  it('is not sent while several users take turns in one browser', async () => {
    const browser = app.browser();
    const emails = [await verified(app), await verified(app)];

    for (const email of [...emails, ...emails]) await login(browser, email);

    for (const email of emails) {
      expect(await news(email)).toEqual([]);
      expect(await lastSeen(browser, email)).toBeInstanceOf(Date);
    }
  });
});

describe('a change of the password', () => {
  it('by a mailed link forgets every device but the one it was made with', async () => {
    const earlier = await loggedIn(app);
    await app.browser().post('/password/forgot', { email: earlier.email });
    const [resetting, token] = [app.browser(), await app.mailbox.token(earlier.email)];

    await resetting.post('/password/reset', { token, new_password: NEW_PASSWORD });

    await login(resetting, earlier.email, NEW_PASSWORD);
    expect(await news(earlier.email)).toEqual([]);
    await login(earlier, earlier.email, NEW_PASSWORD);
    expect(await news(earlier.email)).toHaveLength(1);
  });

  it('by its owner forgets every device but the one it was made with', async () => {
    const [browser, neighbour] = [await loggedIn(app), await verified(app)];
    const other = await loggedIn(app, browser.email);
    await login(browser, neighbour);
    await login(browser, browser.email);
    const before = (await news(browser.email)).length;

    const body = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    expect((await browser.post('/password/update', body)).status).toBe(204);

    await login(browser, browser.email, NEW_PASSWORD);
    await login(browser, neighbour);
    expect(await news(browser.email)).toHaveLength(before);
    expect(await news(neighbour)).toEqual([]);
    await ageMails(browser.email);
    await login(other, browser.email, NEW_PASSWORD);
    expect(await news(browser.email)).toHaveLength(before + 1);
  });

  it('that fails sets no cookie and forgets nothing', async () => {
    const browser = await loggedIn(app);
    const wrong = { current_password: 'not the password', new_password: NEW_PASSWORD };
    const unknown = { token: 'unknown', new_password: NEW_PASSWORD };

    const answers = [
      await browser.post('/password/update', wrong),
      await browser.post('/password/reset', unknown),
    ];

    expect(answers.map(({ cookies }) => cookies)).toEqual([[], []]);
    expect(await lastSeen(browser, browser.email)).toBeInstanceOf(Date);
  });
});

describe('known devices', () => {
  it('are pruned when they were not seen for a year, and deleted with the account', async () => {
    const [kept, forgotten] = [await loggedIn(app), await loggedIn(app)];
    await ageDevices(kept.email, '364 days');
    await ageDevices(forgotten.email, '366 days');
    const count = () => app.database.value('SELECT count(*)::int FROM known_devices');
    const before = await count();

    const scheduler = app.browser({ authorization: `Bearer ${app.environment.cronSecret?.[0]}` });
    const answer = await scheduler.post('/cron');

    expect(answer.body.pruned.known_devices).toBe(before - (await count()));
    expect(await lastSeen(forgotten, forgotten.email)).toBeUndefined();
    expect(await lastSeen(kept, kept.email)).toBeInstanceOf(Date);

    const left = await count();
    await kept.send('DELETE', '/users/me', { current_password: PASSWORD });
    expect(await count()).toBe(left - 1);
  });

  it('are not made for an address without an account', async () => {
    const before = await app.database.value('SELECT count(*)::int FROM known_devices');

    await login(app.browser(), freshAddress());

    expect(await app.database.value('SELECT count(*)::int FROM known_devices')).toBe(before);
  });
});

describe('two logins at once in one browser', () => {
  it('both succeed where only one of the accounts knows it', async () => {
    const browser = await loggedIn(app);
    const stranger = await verified(app);
    const sessions = `SELECT 1 FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1 FOR UPDATE OF s`;
    const held = await Held.by(app.database, sessions, [browser.email]);

    const ofStranger = login(browser, stranger);
    await held.untilWaiting(1);
    const ofOwner = login(browser, browser.email);
    await held.untilWaiting(2);
    await held.release();

    expect([(await ofStranger).status, (await ofOwner).status]).toEqual([200, 200]);
  });
});
