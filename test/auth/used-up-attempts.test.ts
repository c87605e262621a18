import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { detailsOf, eventsAfter } from '../support/audit.js';
import type { Answer, Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';

const METRICS_TOKEN = 'the token of the scraper and of these tests';
const SUBJECT = 'Too many attempts to log in to your account';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_RATE_LIMITS: 'on',
    SVC_METRICS_TOKEN: METRICS_TOKEN,
    SVC_LIMIT_LOGIN_PER_ACCOUNT: '4/15m, 6/1d',
    SVC_LIMIT_PASSWORD_PER_USER: '3/15m, 20/1d',
  });
});
afterAll(() => app.close());
beforeEach(() => app.database.rows('TRUNCATE rate_limits'));

const wait = (minutes: number) =>
  app.database.rows('UPDATE rate_limits SET expire = expire - $1', [minutes * 60_000]);
const guess = (email: string) => app.browser().post('/auth/login', { email, password: 'not the password' });
const idOf = (email: string) => app.database.value('SELECT id FROM users WHERE email = $1', [email]);
const told = async (email: string) =>
  (await app.mailbox.to(email)).filter(({ subject }) => subject === SUBJECT).length;

/** How often the last attempt of a limit was taken, as the metrics have it. */
async function usedUp(setting: string): Promise<number> {
  const { text } = await app.browser({ authorization: `Bearer ${METRICS_TOKEN}` }).get('/metrics');
  return Number(
    text.split(`latchkey_account_attempts_used_up_total{limit="${setting}"} `)[1]?.split('\n')[0],
  );
}

/** Guesses three times each quarter of an hour, until the service takes no more. */
async function guessSlowly(email: string): Promise<void> {
  for (let guesses = 0; guesses < 6; guesses++) {
    if (guesses % 3 === 0) await wait(15);
    expect((await guess(email)).status).toBe(401);
  }
  expect((await guess(email)).body.code).toBe('TooManyAttempts');
}

describe('the last wrong password of an account', () => {
  it('is told to its owner, also when only the limit of the day is used up, and once', async () => {
    const email = await verified(app);
    const before = await usedUp('SVC_LIMIT_LOGIN_PER_ACCOUNT');

    await guessSlowly(email);
    await guess(email);

    expect(await detailsOf(app, await idOf(email), 'login.limited')).toEqual([
      { seconds: expect.closeTo(86_400 - 900, -2) },
    ]);
    expect(await told(email)).toBe(1);
    expect(await usedUp('SVC_LIMIT_LOGIN_PER_ACCOUNT')).toBe(before + 1);
  });

  it('is told where a wait begins', async () => {
    const email = await verified(app);

    for (let guesses = 0; guesses < 5; guesses++) await guess(email);

    expect(await detailsOf(app, await idOf(email), 'login.limited')).toEqual([{ seconds: 900 }]);
    expect(await told(email)).toBe(1);
  });

  it('leaves the same event where there is no account, or a disabled one, and no mail', async () => {
    const disabled = await verified(app);
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [disabled]);
    for (const email of [freshAddress(), disabled]) {
      const events = await eventsAfter(app, () => guessSlowly(email));

      expect(events.filter(({ type }) => type === 'login.limited')).toHaveLength(1);
      expect(await told(email)).toBe(0);
    }
  });
});

/** What asks for the current password within a session. */
const ASKING: Record<string, (browser: Browser, password: string) => Promise<Answer>> = {
  'POST /password/update': (browser, current_password) =>
    browser.post('/password/update', { current_password, new_password: 'staple battery horse correct' }),
  'POST /users/me/email': (browser, current_password) =>
    browser.post('/users/me/email', { new_email: freshAddress(), current_password }),
  'DELETE /password': (browser, current_password) =>
    browser.send('DELETE', '/password', { current_password }),
  'POST /auth/step-up': (browser, password) => browser.post('/auth/step-up', { password }),
  'DELETE /users/me': (browser, current_password) =>
    browser.send('DELETE', '/users/me', { current_password }),
};

describe.each(Object.entries(ASKING))('a wrong password at %s', (_, ask) => {
  it('is recorded, and used up in one session only, which is told to the owner', async () => {
    const owner = await loggedIn(app);
    const stolen = await loggedIn(app, owner.email);
    const id = await idOf(owner.email);
    const statuses = [];
    for (let guesses = 0; guesses < 4; guesses++)
      statuses.push((await ask(stolen, `guess number ${guesses}`)).status);

    expect(statuses).toEqual([400, 400, 400, 429]);
    expect(await detailsOf(app, id, 'step_up.failed')).toEqual(Array(3).fill({ method: 'password' }));
    expect(await detailsOf(app, id, 'login.limited')).toEqual([{ seconds: expect.closeTo(900, -2) }]);
    expect((await app.mailbox.last(owner.email)).subject).toBe(
      'Someone entered wrong passwords in your account',
    );
    expect((await ask(owner, 'one wrong password')).status).toBe(400);
    expect([200, 202, 204, 409]).toContain((await ask(owner, PASSWORD)).status);
  });
});

describe('wrong passwords in one session after the other', () => {
  it('are refused once all sessions have used up twice the attempts of one, and mailed about once', async () => {
    const { email } = await loggedIn(app);
    const sessions = [];
    for (let session = 0; session < 3; session++) sessions.push(await loggedIn(app, email));

    const statuses = [];
    for (const session of sessions)
      for (let guesses = 0; guesses < 3; guesses++)
        statuses.push((await session.post('/auth/step-up', { password: 'not the password' })).status);

    expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429, 429, 429]);
    // The last attempt of the first session, of the second one, and of all together.
    expect(await detailsOf(app, await idOf(email), 'login.limited')).toHaveLength(3);
    const mails = await app.mailbox.to(email);
    expect(
      mails.filter(({ subject }) => subject === 'Someone entered wrong passwords in your account'),
    ).toHaveLength(1);
  });
});

describe('right passwords within sessions', () => {
  it('count for the user, in all sessions together', async () => {
    const owner = await loggedIn(app);
    const other = await loggedIn(app, owner.email);
    const ask = (browser: Browser) => browser.post('/auth/step-up', { password: PASSWORD });

    const answers = [await ask(owner), await ask(other), await ask(owner), await ask(other)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  });
});
