import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ACCOUNTS,
  completedSignup,
  freshAddress,
  loggedIn,
  PASSWORD,
  signedUp,
  verified,
} from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { tokenIn } from '../support/mails.js';
import { foundOrg, invite } from '../support/orgs.js';
import { later, signupsOf } from '../support/signups.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const user = (email: string) => app.database.rows(`SELECT * FROM ${ACCOUNTS} WHERE email = $1`, [email]);
const signup = (browser: Browser, email: string, body: object = {}) =>
  browser.post('/auth/signup', { email, password: PASSWORD, ...body });
/** Lets strangers sign up with an address, one after the other, and returns the links that they were mailed. */
async function strangers(count: number, email: string): Promise<string[]> {
  const before = (await app.mailbox.to(email)).length;
  for (let each = 0; each < count; each++)
    await signup(app.browser(), email, { name: 'A stranger', password: 'a pass phrase of a stranger' });
  return (await app.mailbox.to(email)).slice(before).map(({ text }) => tokenIn(text));
}
const login = (email: string, password = PASSWORD) => app.browser().post('/auth/login', { email, password });

describe('POST /auth/signup', () => {
  it('creates no user yet, and mails a link', async () => {
    const email = freshAddress();

    const answer = await signup(app.browser(), email, { name: 'Ada Lovelace' });

    expect(answer).toMatchObject({ status: 202, body: { email } });
    expect(await user(email)).toEqual([]);
    expect(await signupsOf(app, email)).toMatchObject([{ name: 'Ada Lovelace', org_name: null }]);
    expect((await app.mailbox.last(email)).text).toContain('http://localhost:5173/verify-email?token=');
  });

  it('gives the browser cookies that no script reads, for a day, whether or not there is an account', async () => {
    const cookie = (name: string) =>
      expect.stringMatching(`^${name}=[\\w-]{43}; Max-Age=86400; Path=/; HttpOnly; SameSite=Lax$`);
    for (const email of [freshAddress(), await verified(app)])
      expect((await signup(app.browser(), email)).cookies).toEqual([
        cookie('session_id_signup'),
        cookie('session_id_code'),
      ]);
  });

  it('lets the browser keep its cookie, and replaces two cookies, or one that the service never set, by a fresh one', async () => {
    const browser = app.browser();
    await signup(browser, freshAddress());
    const token = browser.jar.get('session_id_signup');

    const again = await signup(browser, freshAddress());

    expect(again.cookies[0]).toContain(`session_id_signup=${token};`);
    for (const cookie of [`session_id_signup=${token}; session_id_signup=x`, 'session_id_signup=guessable']) {
      const [set] = (await signup(app.browser({ cookie }), freshAddress())).cookies;
      expect(set).toMatch(/^session_id_signup=[\w-]{43};/);
      expect(set).not.toContain(token);
    }
  });

  it('answers for an address that has an account as for a new one, and does no more than send a mail', async () => {
    const email = await verified(app);
    const [before] = await user(email);
    const body = { password: 'another pass phrase', name: 'Eve' };

    const fresh = freshAddress();
    const [taken, free] = [
      await signup(app.browser(), email, body),
      await signup(app.browser(), fresh, body),
    ];

    const alike = ({ text, status }: typeof taken, address: string) => [status, text.replace(address, '…')];
    expect(alike(taken, email)).toEqual(alike(free, fresh));
    expect(Object.keys(taken.headers)).toEqual(Object.keys(free.headers));
    expect(await user(email)).toEqual([before]);
    expect(await app.mailbox.last(email)).toMatchObject({ subject: 'You already have an account' });
    expect(await app.mailbox.to(email)).toHaveLength(1);
  });

  it('stores the same kind of row for an address that has an account, and mails no link to it', async () => {
    const addresses = [freshAddress(), await verified(app)];
    for (const email of addresses) {
      await signup(app.browser(), email);
      await app.mailbox.to(email);
    }

    const [[free], [taken]] = [
      await signupsOf(app, addresses[0] ?? ''),
      await signupsOf(app, addresses[1] ?? ''),
    ];
    const filled = (row: object) => Object.entries(row).map(([name, value]) => [name, value !== null]);
    expect(filled(taken)).toEqual(filled(free));
    expect([free.token_hashes.length, taken.token_hashes.length]).toEqual([1, 1]);
    expect((await app.mailbox.last(addresses[1] ?? '')).text).not.toContain('verify-email');
  });

  it('mails a link to the oldest five signups of an address, also when 32 come at once', async () => {
    const email = freshAddress();
    const first = app.browser();
    await signup(first, email);
    const token = await app.mailbox.token(email);

    const answers = await Promise.all(Array.from({ length: 32 }, () => signup(app.browser(), email)));

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await app.mailbox.to(email)).toHaveLength(5);
    expect((await signupsOf(app, email)).map((row) => row.token_hashes.length)).toEqual([1, 1, 1, 1, 1, 0]);
    expect((await first.post('/auth/verify-email', { token })).status).toBe(200);
  });

  it('gives each of several signups its own link, and the first that is completed ends the others', async () => {
    const email = freshAddress();
    const [one, other] = [app.browser(), app.browser()];
    await signup(one, email, { name: 'One' });
    const first = await app.mailbox.token(email);
    await signup(other, email, { name: 'Other' });
    const second = await app.mailbox.token(email);

    expect((await other.post('/auth/verify-email', { token: second })).body.user.name).toBe('Other');

    expect((await one.post('/auth/verify-email', { token: first })).body.code).toBe('InvalidToken');
    expect(await signupsOf(app, email)).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5])(
    'completes the signup of an owner who came as number %i by its link, however many strangers came before and after',
    async (place) => {
      const email = freshAddress();
      await strangers(place - 1, email);
      const owner = app.browser();
      await signup(owner, email, { name: 'The owner' });
      const token = await app.mailbox.token(email);
      await strangers(7 - place, email);

      expect((await owner.post('/auth/verify-email', { token })).body.user).toMatchObject({
        email,
        name: 'The owner',
      });
    },
  );

  it('completes the signup of an owner who came sixth by any link of the five before, with its password', async () => {
    const email = freshAddress();
    const tokens = await strangers(5, email);
    const owner = app.browser();
    expect((await signup(owner, email, { name: 'The owner' })).status).toBe(202);
    await later(app, email, '61 seconds');
    await owner.post('/auth/verify-email/resend', { email });
    expect(await app.mailbox.to(email)).toHaveLength(6);
    const resent = await app.mailbox.token(email);

    for (const token of [...tokens, resent])
      expect((await owner.post('/auth/verify-email', { token })).body.code).toBe('PasswordRequired');
    expect(
      (await owner.post('/auth/verify-email', { token: resent, password: PASSWORD })).body.user,
    ).toMatchObject({ email, name: 'The owner' });
  });

  it('lets a seventh take the place of the sixth alone, and leaves its owner a new password', async () => {
    const email = freshAddress();
    const [token] = await strangers(5, email);
    const owner = app.browser();
    await signup(owner, email, { name: 'The owner' });
    await signup(app.browser(), email, { name: 'The seventh' });

    expect((await signupsOf(app, email)).map(({ name }) => name)).toEqual([
      ...Array.from({ length: 5 }, () => 'A stranger'),
      'The seventh',
    ]);
    const answer = await owner.post('/auth/verify-email', {
      token,
      new_password: 'a pass phrase of the owner',
    });
    expect(answer.body.user).toMatchObject({ email, name: null });
  });

  it('mails a link to the sixth once one of the five has ended', async () => {
    const email = freshAddress();
    const [token] = await strangers(5, email);
    const owner = app.browser();
    await signup(owner, email);
    await app.browser().post('/auth/secure-account', { token });
    await later(app, email, '61 seconds');
    await signup(owner, email);

    const own = await app.mailbox.token(email);
    expect((await owner.post('/auth/verify-email', { token: own })).status).toBe(200);
  });

  it('treats addresses that differ in case as one account', async () => {
    const email = await verified(app);
    await signup(app.browser(), email.toUpperCase());

    expect(await app.mailbox.last(email)).toMatchObject({ subject: 'You already have an account' });
    await expect(loggedIn(app, email.toUpperCase())).resolves.toBeDefined();
  });

  it('does not confuse a letter beyond ASCII with the one it resembles', async () => {
    const addresses = ['admin@example.com', 'ADMİN@example.com'];
    for (const email of addresses) await signup(app.browser(), email);

    const stored = await app.database.rows(
      `SELECT DISTINCT email FROM signups WHERE email ~ '^adm' ORDER BY email`,
    );
    expect(stored).toHaveLength(2);
  });

  it('stores nothing with which a person who reads the database could complete it', async () => {
    const browser = app.browser();
    const email = freshAddress();
    await signup(browser, email);
    const secrets = [await app.mailbox.token(email), browser.jar.get('session_id_signup') ?? '', PASSWORD];

    const rows = JSON.stringify(
      await app.database.rows('SELECT s::text FROM signups s WHERE email = $1', [email]),
    );

    expect(rows).toContain(email);
    for (const secret of secrets) {
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain(Buffer.from(secret).toString('hex'));
      expect(rows).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
    }
  });
});

describe('a signup that the same browser repeats', () => {
  it('is no error when it is a double click, and sends no second mail', async () => {
    const limited = await TestApp.start({ SVC_LIMIT_MAIL_PER_ADDRESS: '3/1h', SVC_RATE_LIMITS: 'on' });
    for (const email of [freshAddress(), await verified(limited)]) {
      const browser = limited.browser();
      await signup(browser, freshAddress());
      const before = (await limited.mailbox.to(email)).length;

      const answers = [await signup(browser, email), await signup(browser, email)];

      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
      expect(await limited.mailbox.to(email)).toHaveLength(before + 1);
      expect(await signupsOf(limited, email)).toHaveLength(1);
    }
    await limited.close();
  });

  it('is one signup with one mail, also of 8 at once', async () => {
    const browser = app.browser();
    await signup(browser, freshAddress());
    const email = freshAddress();

    await Promise.all(Array.from({ length: 8 }, () => signup(browser, email)));

    expect(await signupsOf(app, email)).toHaveLength(1);
    expect(await app.mailbox.to(email)).toHaveLength(1);
  });

  it('uses the new password and name, and keeps the link that was mailed', async () => {
    const browser = app.browser();
    const email = freshAddress();
    await signup(browser, email, { name: 'Ada' });
    const token = await app.mailbox.token(email);

    await signup(browser, email, { password: 'a wholly different phrase', name: 'Augusta' });
    const verification = await browser.post('/auth/verify-email', { token });

    expect(verification).toMatchObject({ status: 200, body: { user: { name: 'Augusta' } } });
    expect((await login(email)).body.code).toBe('InvalidCredentials');
    expect((await login(email, 'a wholly different phrase')).status).toBe(200);
  });

  it('mails another link once a minute has passed, and both work until it ends', async () => {
    const browser = app.browser();
    const email = freshAddress();
    await signup(browser, email);
    const first = await app.mailbox.token(email);
    await later(app, email, '61 seconds');

    await signup(browser, email);

    expect(await app.mailbox.to(email)).toHaveLength(2);
    expect(await app.mailbox.token(email)).not.toBe(first);
    expect((await browser.post('/auth/verify-email', { token: first })).status).toBe(200);
  });
});

describe('POST /auth/signup-org', () => {
  const signupOrg = (browser: Browser, email: string, name: string) =>
    browser.post('/auth/signup-org', { org_name: name, email, password: PASSWORD });
  const orgs = (name: string) => app.database.rows('SELECT 1 FROM organizations WHERE name = $1', [name]);

  it('creates the organization and its admin when the owner opens the link, and neither before', async () => {
    const browser = app.browser();
    const email = freshAddress();

    expect(await signupOrg(browser, email, 'Analytical')).toMatchObject({ status: 202, body: { email } });
    expect([await user(email), await orgs('Analytical')]).toEqual([[], []]);

    await browser.post('/auth/verify-email', { token: await app.mailbox.token(email) });
    const [admin] = await user(email);
    expect(admin.role).toBe('org_admin');
    expect(await app.database.value('SELECT name FROM organizations WHERE id = $1', [admin.org_id])).toBe(
      'Analytical',
    );
  });

  it('creates no organization for an address that has an account', async () => {
    const email = await verified(app);

    expect((await signupOrg(app.browser(), email, 'Squatters')).status).toBe(202);

    expect(await orgs('Squatters')).toEqual([]);
    expect((await user(email))[0]).toMatchObject({ role: 'member', org_id: null });
  });

  it('does not block the invitation of the real organization, whose acceptance ends the signup', async () => {
    const org = await foundOrg(app);
    const email = freshAddress();
    const squatter = app.browser();
    await signupOrg(squatter, email, 'Squatters of all');
    const squatted = await app.mailbox.token(email);

    const token = await invite(app, org.admin, org.id, email);
    const answer = await app.browser().post('/invitations/accept', { token, password: 'a phrase of my own' });

    expect(answer).toMatchObject({ status: 201, body: { user: { email, org_id: org.id } } });
    expect((await squatter.post('/auth/verify-email', { token: squatted })).body.code).toBe('InvalidToken');
    expect([await signupsOf(app, email), await orgs('Squatters of all')]).toEqual([[], []]);
  });
});

describe('a signup', () => {
  it('does not block a change to its address', async () => {
    const email = freshAddress();
    await signedUp(app, { email });
    const browser = await loggedIn(app);

    await browser.post('/users/me/email', { new_email: email, current_password: PASSWORD });

    // That of the signup may be the later one of the two: it is written after the answer.
    const subjects = (await app.mailbox.to(email)).map(({ subject }) => subject);
    expect(subjects).toContain('Confirm your new email address');
  });

  it('ends when the owner proves the address by a password reset', async () => {
    const { email } = await completedSignup(app);
    await signup(app.browser(), email);
    await app.browser().post('/password/forgot', { email });
    const token = await app.mailbox.token(email);

    await app.browser().post('/password/reset', { token, new_password: 'a wholly different phrase' });

    expect(await signupsOf(app, email)).toEqual([]);
  });

  it('ends when the owner opens the "I did not sign up" link of its mail, and no other signup does', async () => {
    const email = freshAddress();
    const [one, other] = [app.browser(), app.browser()];
    await signup(one, email);
    const first = await app.mailbox.token(email);
    await signup(other, email);
    const second = await app.mailbox.token(email);

    expect((await app.browser().post('/auth/secure-account', { token: first })).status).toBe(204);

    for (const path of ['/auth/verify-email', '/auth/secure-account'])
      expect((await one.post(path, { token: first })).body.code).toBe('InvalidToken');
    expect((await other.post('/auth/verify-email', { token: second })).status).toBe(200);
  });
});

describe('a login after a signup', () => {
  it('asks a user who knows the password of the signup to confirm the address, whether or not there is an account', async () => {
    for (const email of [freshAddress(), await verified(app)]) {
      await signup(app.browser(), email, { password: 'the guess of a stranger' });

      expect(await login(email, 'the guess of a stranger')).toMatchObject({
        status: 403,
        body: { code: 'EmailNotVerified' },
        cookies: [],
      });
      expect((await login(email, 'not the password')).body.code).toBe('InvalidCredentials');
    }
  });

  it('still works with the password of the account', async () => {
    const email = await verified(app);
    await signup(app.browser(), email, { password: 'the guess of a stranger' });

    expect((await login(email)).status).toBe(200);
  });

  it('does not mention a signup that has ended', async () => {
    const email = await signedUp(app);
    await later(app, email, '24 hours 1 second');

    expect((await login(email)).body.code).toBe('InvalidCredentials');
  });

  it('counts each password of a signup as one guess at the password of the account', async () => {
    const limited = await TestApp.start({ SVC_LIMIT_MAIL_PER_ADDRESS: '100/1h', SVC_RATE_LIMITS: 'on' });
    for (const email of [freshAddress(), await verified(limited)]) {
      const browser = limited.browser();
      const codes: string[] = [];
      for (let guess = 0; guess < 11; guess++) {
        const password = `the guess number ${guess} of a stranger`;
        await signup(browser, email, { password });
        for (const _ of ['first', 'again'])
          codes.push((await limited.browser().post('/auth/login', { email, password })).body.code);
      }

      expect(codes.slice(0, 19)).toEqual(Array.from({ length: 19 }, () => 'EmailNotVerified'));
      expect(codes.slice(20)).toEqual(['TooManyAttempts', 'TooManyAttempts']);
    }
    await limited.close();
  });
});
