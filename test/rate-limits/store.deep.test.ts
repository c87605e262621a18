import { createHash, createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { CountingPool, LimitCounterRepository } from '../../src/rate-limits/limit-counter.repository.js';
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
  it('holds neither an address nor anything that reveals one', async () => {
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

  it('has keys that a reader cannot compute with the secret itself', async () => {
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

  it('is pruned of a hundred thousand keys, and keeps those that still count', async () => {
    await app.database.rows(
      `INSERT INTO rate_limits (key, points, expire)
       SELECT 'loginPerAccount-900:' || n, 1, extract(epoch FROM now()) * 1000 - n FROM generate_series(1, 100000) n`,
    );
    await forgot();
    await forgot();

    const scheduler = app.browser({ authorization: `Bearer ${app.environment.cronSecret?.[0]}` });
    let pruned = 0;
    // A run stops after a while, and a busy machine needs several.
    for (let complete = false; !complete; ) {
      const { body } = await scheduler.post('/cron');
      expect(body.pruned.rate_limits).toBeGreaterThan(0);
      pruned += body.pruned.rate_limits;
      complete = body.complete;
    }

    expect(pruned).toBe(100_000);
    expect((await forgot()).status).toBe(429);
  });
});

describe('a count that had to wait for another one', () => {
  it('asks the client to wait no longer than the window, which began later than the count did', async () => {
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
  const KEY = sha256('ada@example.com');

  let counter: LimitCounterRepository;
  beforeEach(() => {
    counter = new LimitCounterRepository('test', { max: 2, seconds: 60 }, app.nest.get(CountingPool));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const breakDatabase = () =>
    jest.spyOn(app.nest.get(CountingPool), 'query').mockRejectedValue(new Error('The database is down.'));

  /** Moves the clock on by some seconds. */
  function wait(seconds: number): void {
    const then = performance.now() + seconds * 1000;
    jest.spyOn(performance, 'now').mockReturnValue(then);
  }

  it('has 4,096 counters for a hundred thousand keys, and still stops each of them', async () => {
    breakDatabase();
    let counters = 0;
    for (let n = 0; n < 100_000; n++) if ((await counter.take(sha256(String(n)))).taken === 1) counters++;

    expect(counters).toBe(4096);
    expect((await counter.take(sha256('0'))).taken).toBeGreaterThan(2);
  });

  it('counts users apart whose ids begin alike', async () => {
    breakDatabase();
    const ids = Array.from({ length: 20 }, () => uuidv7());
    const counts = await Promise.all(ids.map((id) => counter.take(id)));

    expect(counts.filter(({ taken }) => taken === 1).length).toBeGreaterThan(15);
  });

  it('begins at zero when the database fails, and keeps what the database has counted', async () => {
    for (const _ of [1, 2]) await counter.take(KEY);
    const broken = breakDatabase();
    expect((await counter.take(KEY)).taken).toBe(1);
    broken.mockRestore();

    expect((await counter.take(KEY)).taken).toBe(3);
    expect(await app.database.rows('SELECT key, points FROM rate_limits')).toEqual([
      { key: `test:${KEY}`, points: 3 },
    ]);
  });

  it('counts a window from the first count, and then forgets it', async () => {
    breakDatabase();
    const first = await counter.take(KEY);
    wait(59);
    const second = await counter.take(KEY);
    expect(second).toMatchObject({ taken: 2, resetsAt: first.resetsAt });
    wait(1);

    expect(await counter.take(KEY)).toMatchObject({ taken: 1, resetsAt: performance.now() + 60_000 });
  });

  it('lets nothing through for as long as a limit is closed, though requests give theirs back', async () => {
    breakDatabase();
    const counts = [await counter.take(KEY), await counter.take(KEY)];
    await counter.close(KEY, 3600);
    await LimitCounterRepository.giveBack(counts);
    expect((await counter.take(KEY)).taken).toBe(3);
    wait(3599);
    expect((await counter.take(KEY)).taken).toBe(4);
    wait(1);

    expect((await counter.take(KEY)).taken).toBe(1);
  });

  it('gives counts back, one or all, but none that it has not made', async () => {
    const ofDatabase = await counter.take(KEY);
    breakDatabase();
    await LimitCounterRepository.giveBack([ofDatabase]);
    const count = await counter.take(KEY);
    expect(count.taken).toBe(1);
    for (const _ of [1, 2]) await LimitCounterRepository.giveBack([count]);
    expect((await counter.take(KEY)).taken).toBe(1);
    await counter.take(KEY);
    await LimitCounterRepository.giveBack([], [{ counter, key: KEY }]);

    expect((await counter.take(KEY)).taken).toBe(1);
  });
});

describe('while the database is too slow to count', () => {
  let held: Held;
  beforeEach(async () => {
    held = await Held.by(app.database, 'LOCK TABLE rate_limits', []);
  });
  afterEach(() => held.release());

  it('the service holds the limits in memory', async () => {
    const answers = [await forgot(), await forgot(), await forgot()];

    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect(app.log.join()).toContain('limits.in_memory');
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
