import { createHash, createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Insurance } from '../../src/rate-limits/insurance.js';
import { freshAddress, loggedIn, PASSWORD } from '../support/accounts.js';
import { Held } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_RATE_LIMITS: 'on',
    SVC_LIMIT_FORGOT_PER_NETWORK: '2/1h',
    SVC_CRON_SECRET: 'the secret of the scheduler and of the tests',
  });
});
afterAll(() => app.close());
beforeEach(() => app.database.rows('TRUNCATE rate_limits'));

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');
const forgot = (email = freshAddress()) => app.browser().post('/password/forgot', { email });

describe('the table of the limits', () => {
  it('holds neither an address nor anything it could be found by', async () => {
    const { email } = await loggedIn(app);
    await app.browser().post('/auth/login', { email, password: 'not the password' });
    await forgot(email);

    const keys = (await app.database.rows('SELECT key FROM rate_limits')).map(({ key }) => key);

    expect(keys.length).toBeGreaterThan(4);
    for (const key of keys) expect(key).toMatch(/^\w+-\d+:[\w-]{43}$/);
    expect(
      await app.database.rows(`SELECT 1 FROM rate_limits WHERE key LIKE '%' || $1`, [sha256(email)]),
    ).toEqual([]);
  });

  it('has keys that the secret itself does not make', async () => {
    const email = freshAddress();
    await forgot(email);

    const [secret] = app.environment.jwtSecretKey;
    for (const subject of ['127.0.0.1', email])
      for (const text of [subject, `limit\0${subject}`]) {
        const made = createHmac('sha256', secret).update(text).digest('base64url');
        expect(await app.database.rows(`SELECT 1 FROM rate_limits WHERE key LIKE '%' || $1`, [made])).toEqual(
          [],
        );
      }
  });

  it('is rid of a hundred thousand keys by the prune, and keeps those that still count', async () => {
    await app.database.rows(
      `INSERT INTO rate_limits (key, points, expire)
       SELECT 'loginPerAccount-900:' || n, 1, extract(epoch FROM now()) * 1000 - n FROM generate_series(1, 100000) n`,
    );
    await forgot();
    await forgot();

    const scheduler = app.browser({ authorization: `Bearer ${app.environment.cronSecret?.[0]}` });
    const { body } = await scheduler.post('/cron');

    expect(body).toMatchObject({ pruned: { rate_limits: 100_000 }, complete: true });
    expect((await forgot()).status).toBe(429);
  });
});

describe('a count that had to wait for another one', () => {
  it('names no time beyond the window, which began later than the count did', async () => {
    for (const _ of [1, 2]) await forgot();
    const held = await Held.by(app.database, 'SELECT 1 FROM rate_limits FOR UPDATE', []);
    const refused = forgot();
    await held.untilWaiting(1);
    await held.run('UPDATE rate_limits SET expire = extract(epoch FROM clock_timestamp()) * 1000 + 3600000');
    await held.release();

    expect((await refused).headers['retry-after']).toBe('3600');
  });
});

describe('the memory that counts instead of the database', () => {
  it('stays small under a hundred thousand keys, and still stops each of them', async () => {
    const insurance = new Insurance({ keyPrefix: 'limit', points: 2, duration: 60 });
    for (let n = 0; n < 100_000; n++) await insurance.penalty(sha256(String(n)));

    expect(insurance.dump().storage.length).toBeLessThanOrEqual(4096);
    expect((await insurance.penalty(sha256('0'))).remainingPoints).toBe(0);
  });
});

describe('while the database is too slow to count', () => {
  let held: Held;
  beforeEach(async () => {
    held = await Held.by(app.database, 'LOCK TABLE rate_limits', []);
  });
  afterEach(() => held.release());

  it('the limits hold in memory', async () => {
    const answers = [await forgot(), await forgot(), await forgot()];

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect(app.log.join()).toContain('limits are counted in memory');
  });
});

describe('while the database is down', () => {
  afterEach(() => app.database.bringUp());

  it('a login is answered 503 however often it is tried, and not counted as a failure', async () => {
    await app.database.takeDown();

    for (let attempts = 0; attempts < 12; attempts++) {
      const answer = await app
        .browser()
        .post('/auth/login', { email: 'ada@example.com', password: PASSWORD });
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    }
  });
});
