import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, signedUp, verified } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import type { Answer, Browser } from '../support/browser.js';
import type { TestApp } from '../support/test-app.js';
import { from, TwoReplicas } from '../support/two-replicas.js';

const WRONG = 'not the password';

/** What a network may guess: no more than it may have hashed at once, or the service would answer some with a 503. */
const GUESSES = 10;

let replicas: TwoReplicas;
let app: TestApp;
beforeAll(async () => {
  replicas = await TwoReplicas.start({ SVC_LIMIT_LOGIN_PER_NETWORK: `${GUESSES}/15m` });
  app = replicas.app;
});
afterAll(() => replicas.close());
beforeEach(() => replicas.forget());

const login = (browser: Browser, email: string, password = PASSWORD, ip = '192.0.2.1') =>
  browser.post('/auth/login', { email, password }, from(ip));
const guess = (email: string, ip?: string) => login(app.browser(), email, WRONG, ip);

/** Guesses from everywhere until no guess is left, and returns the answer to one more. */
async function useUp(email: string): Promise<Answer> {
  await replicas.inParallel(10, (replica, index) =>
    login(replica.browser(), email, WRONG, `198.51.100.${index}`),
  );
  return guess(email);
}

/** Sends requests one after the other. */
async function inTurns(requests: number, send: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let index = 0; index < requests; index++) answers.push(await send(index));
  return answers;
}

const count = (answers: Answer[], code: string) => answers.filter(({ body }) => body.code === code).length;

/** What an answer shows, but for what differs from request to request. */
function shown({ status, headers, body }: Answer) {
  const { 'x-request-id': _, date: __, 'retry-after': ___, ratelimit: ____, ...rest } = headers;
  return { status, headers: rest, body: { ...body, request_id: '' } };
}

describe('failed logins of an account', () => {
  it('are ten in parallel over all replicas, and answered alike without an account', async () => {
    const answered: Answer[][] = [];
    for (const email of [await verified(app), await signedUp(app), freshAddress()]) {
      const answers = await replicas.inParallel(50, (replica, index) =>
        login(replica.browser(), email, WRONG, `198.51.100.${index}`),
      );
      expect([count(answers, 'InvalidCredentials'), count(answers, 'TooManyAttempts')]).toEqual([10, 40]);
      answered.push(
        [...answers, await login(app.browser(), email)].sort((one, other) => one.status - other.status),
      );
    }

    const [known, ...others] = answered.map((answers) => answers.map(shown));
    for (const other of others) expect(other).toEqual(known);
  });

  it('are followed by a wait that doubles each time, up to four hours', async () => {
    const email = await verified(app);

    for (const minutes of [15, 30, 60, 120, 240, 240]) {
      const { headers } = await useUp(email);
      expect(Math.ceil(Number(headers['retry-after']) / 60)).toBe(minutes);
      await replicas.wait(minutes - 1);
      expect((await login(app.browser(), email)).body.code).toBe('TooManyAttempts');
      await replicas.wait(1);
    }

    expect((await login(app.browser(), email)).status).toBe(200);
  });

  it('do not lengthen the wait while a client goes on guessing during it', async () => {
    const email = await verified(app);
    await useUp(email);

    await replicas.inParallel(30, () => guess(email));

    await replicas.wait(15);
    expect((await guess(email)).status).toBe(401);
  });

  it('no longer count after a quarter of an hour', async () => {
    const email = await verified(app);
    for (let failures = 0; failures < 9; failures++) await guess(email);
    await replicas.wait(15);

    for (let failures = 0; failures < 9; failures++) expect((await guess(email)).status).toBe(401);
  });

  it('are a hundred a day, also for a client who stops before each wait', async () => {
    const email = await verified(app);

    const answers: Answer[] = [];
    for (let quarters = 0; quarters < 12; quarters++) {
      const nine = (index: number) => guess(email, `198.51.100.${index}`);
      answers.push(...(await Promise.all(Array.from({ length: 9 }, (_, index) => nine(index)))));
      await replicas.wait(15);
    }

    expect([count(answers, 'InvalidCredentials'), count(answers, 'TooManyAttempts')]).toEqual([100, 8]);
  });

  it('do not include logins that succeed, or fail for another reason', async () => {
    const [good, unverified, disabled] = [await verified(app), await signedUp(app), await verified(app)];
    await app.database.rows('UPDATE users SET disabled_at = now() WHERE email = $1', [disabled]);

    for (let logins = 0; logins < 12; logins++) {
      expect((await login(app.browser(), good)).status).toBe(200);
      expect((await login(app.browser(), unverified)).body.code).toBe('EmailNotVerified');
      expect((await login(app.browser(), disabled)).body.code).toBe('AccountDisabled');
    }
  });

  it('add login.limited to the audit log once for each wait, whether or not there is an account', async () => {
    for (const email of [await verified(app), freshAddress()]) {
      const events = await eventsAfter(app, () => useUp(email));

      const limited = events.filter(({ type }) => type === 'login.limited');
      const id = await app.database.value('SELECT id FROM users WHERE email = $1', [email]);
      expect(limited).toMatchObject([{ actor_id: null, user_id: id ?? null, details: { seconds: 900 } }]);
    }
  });

  it('get an answer with the fields of the limit', async () => {
    const { status, headers } = await useUp(await verified(app));

    expect(status).toBe(429);
    expect(headers['ratelimit-policy']).toBe('"loginPerAccount-900";q=10;w=900');
    expect(headers.ratelimit).toBe(`"loginPerAccount-900";r=0;t=${headers['retry-after']}`);
  });
});

describe('the owner of an account whose password strangers guess', () => {
  it('logs in from a browser it knows, even one in the network of the strangers', async () => {
    const owner = await loggedIn(app);
    await useUp(owner.email);
    await replicas.inParallel(GUESSES, () => guess(freshAddress()));
    expect((await guess(freshAddress())).body.code).toBe('TooManyRequests');

    expect((await login(owner, owner.email)).status).toBe(200);
  });

  it('has ten attempts there, which no stranger can use up', async () => {
    const owner = await loggedIn(app);

    const answers = await replicas.inParallel(50, () => login(owner, owner.email, WRONG));

    expect([count(answers, 'InvalidCredentials'), count(answers, 'TooManyAttempts')]).toEqual([10, 40]);
    expect((await login(app.browser(), owner.email)).status).toBe(200);
  });

  it('gets in from any other browser with a mailed link', async () => {
    const email = await verified(app);
    await useUp(email);
    const browser = app.browser();
    await browser.post('/password/forgot', { email });
    const newPassword = 'staple battery horse correct';
    await browser.post('/password/reset', {
      token: await app.mailbox.token(email),
      new_password: newPassword,
    });

    expect((await login(browser, email, newPassword)).status).toBe(200);
    expect((await login(app.browser(), email, newPassword)).status).toBe(200);
  });

  it('starts anew after a reset: no failure counts, and the next wait is the shortest', async () => {
    const email = await verified(app);
    for (const minutes of [15, 30]) {
      await useUp(email);
      await replicas.wait(minutes);
    }
    await useUp(email);
    await app.browser().post('/password/forgot', { email });
    const token = await app.mailbox.token(email);
    await app.browser().post('/password/reset', { token, new_password: 'staple battery horse correct' });

    const { headers } = await useUp(email);

    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(900);
  });

  it('lets every browser log in again by a login from one that the account knows', async () => {
    const owner = await loggedIn(app);
    for (let rounds = 0; rounds < 11; rounds++) {
      expect((await useUp(owner.email)).body.code).toBe('TooManyAttempts');
      expect((await login(app.browser(), owner.email)).body.code).toBe('TooManyAttempts');

      expect((await login(owner, owner.email)).status).toBe(200);
      expect((await login(app.browser(), owner.email)).status).toBe(200);
      await replicas.wait(60);
    }
  });

  it('has ten attempts again after a successful one, in the same browser and in any other', async () => {
    const owner = await loggedIn(app);
    const nine = (browser: () => Browser) =>
      inTurns(9, (index) => login(browser(), owner.email, WRONG, `198.51.100.${index}`));
    for (const browser of [() => owner, () => app.browser()]) {
      await nine(browser);
      expect((await login(browser(), owner.email)).status).toBe(200);

      expect(count(await nine(browser), 'InvalidCredentials')).toBe(9);
    }
  });

  it('is recognised by no device of another user', async () => {
    const [owner, stranger] = [await loggedIn(app), await loggedIn(app)];
    await useUp(owner.email);

    expect((await login(stranger, owner.email)).body.code).toBe('TooManyAttempts');
  });
});

describe('logins of an account that succeed', () => {
  it('are sixty an hour from browsers it does not know, so that there are no more sessions and mails', async () => {
    const owner = await loggedIn(app);
    await replicas.forget();

    const answers = await inTurns(70, () => login(app.browser(), owner.email));

    expect(count(answers, 'TooManyRequests')).toBe(10);
    expect((await login(owner, owner.email)).status).toBe(200);
    const sessions =
      'SELECT count(*)::int FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1';
    expect(await app.database.value(sessions, [owner.email])).toBe(62);
  });

  it('are sixty an hour from all that it knows together', async () => {
    const one = await loggedIn(app);
    const other = await loggedIn(app, one.email);

    const answers = await inTurns(70, (index) => login(index % 2 === 0 ? one : other, one.email));

    expect(count(answers, 'TooManyRequests')).toBe(10);
    await replicas.wait(60);
    expect((await login(other, one.email)).status).toBe(200);
  });
});

describe('failed logins from a network', () => {
  it('are as many as it may, in parallel over all replicas and accounts', async () => {
    const answers = await replicas.inParallel(50, (replica) =>
      login(replica.browser(), freshAddress(), WRONG),
    );

    expect([count(answers, 'InvalidCredentials'), count(answers, 'TooManyRequests')]).toEqual([
      GUESSES,
      50 - GUESSES,
    ]);
    const email = await verified(app);
    expect((await login(app.browser(), email)).body.code).toBe('TooManyRequests');
    expect((await login(app.browser(), email, PASSWORD, '192.0.2.2')).status).toBe(200);
  });

  it('use up no attempts of an account once the network has used up its own', async () => {
    const email = await verified(app);
    await replicas.inParallel(GUESSES, () => guess(freshAddress()));

    await replicas.inParallel(20, () => guess(email));

    expect((await login(app.browser(), email, PASSWORD, '192.0.2.2')).status).toBe(200);
  });

  it('still count after the guesser logs in to an account of their own', async () => {
    const own = await verified(app);
    await replicas.inParallel(GUESSES - 1, () => guess(freshAddress()));
    expect((await login(app.browser(), own)).status).toBe(200);

    expect((await guess(freshAddress())).status).toBe(401);
    expect((await guess(freshAddress())).body.code).toBe('TooManyRequests');
  });

  it('are counted by the /48 of an IPv6 address as well', async () => {
    const answers = await inTurns(8 * GUESSES + 10, (index) =>
      guess(freshAddress(), `2001:db8:1:${index.toString(16)}::1`),
    );

    expect([count(answers, 'InvalidCredentials'), count(answers, 'TooManyRequests')]).toEqual([
      8 * GUESSES,
      10,
    ]);
  });

  it('do not include logins that succeed', async () => {
    const email = await verified(app);
    for (let logins = 0; logins < GUESSES + 2; logins++)
      expect((await login(app.browser(), email)).status).toBe(200);
  });
});
