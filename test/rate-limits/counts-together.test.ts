import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type Counted,
  CountingPool,
  LimitCounterRepository,
} from '../../src/rate-limits/limit-counter.repository.js';
import { Held } from '../support/lock-step.js';
import { statementsDuring } from '../support/statements.js';
import { TestApp } from '../support/test-app.js';

const MINUTE = { max: 5, seconds: 60 };
const KEYS = ['a', 'b', 'c', 'd', 'e'];

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_RATE_LIMITS: 'on' });
});
afterAll(() => app.close());

let counter: LimitCounterRepository;
let ofOtherReplica: LimitCounterRepository;
beforeEach(async () => {
  await app.database.rows('TRUNCATE rate_limits');
  const pool = app.nest.get(CountingPool);
  [counter, ofOtherReplica] = [
    new LimitCounterRepository('test', MINUTE, pool),
    new LimitCounterRepository('test', MINUTE, pool),
  ];
});

const takenOf = (counts: Counted[]) => counts.map(({ taken }) => taken);
const counted = () => app.database.rows('SELECT key, points FROM rate_limits ORDER BY key');

describe('counts of one limit that are asked for at once', () => {
  it('are made in one statement', async () => {
    const statements = await statementsDuring(() => Promise.all(KEYS.map((key) => counter.take(key))));

    expect(statements.length).toBe(1);
    expect(await counted()).toEqual(KEYS.map((key) => ({ key: `test:${key}`, points: 1 })));
  });

  it('are each handed out once, over all replicas', async () => {
    const taking = Array.from({ length: 60 }, (_, index) =>
      (index % 2 ? counter : ofOtherReplica).take(index % 3 ? 'a' : 'b'),
    );
    const counts = await Promise.all(taking);

    const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
    const inOrder = (key: string) =>
      takenOf(counts.filter((count) => count.key === key)).sort((one, other) => one - other);
    expect(inOrder('a')).toEqual(upTo(40));
    expect(inOrder('b')).toEqual(upTo(20));
  });

  it('are handed out in the order in which they were asked for', async () => {
    await counter.take('a');
    const counts = await Promise.all(['a', 'b', 'a', 'c', 'a'].map((key) => counter.take(key)));

    expect(takenOf(counts)).toEqual([2, 1, 3, 1, 4]);
  });

  it('begin a new window where the last one is over, and only there', async () => {
    for (const key of ['a', 'b']) await counter.take(key);
    await app.database.rows(`UPDATE rate_limits SET expire = expire - 60000 WHERE key = 'test:a'`);
    await app.database.rows(`UPDATE rate_limits SET expire = expire - 30000 WHERE key = 'test:b'`);

    const counts = await Promise.all(['a', 'a', 'b'].map((key) => counter.take(key)));

    const secondsLeft = counts.map(
      ({ resetsAt }) => Math.round((resetsAt - performance.now()) / 10_000) * 10,
    );
    expect(takenOf(counts)).toEqual([1, 2, 2]);
    expect(secondsLeft).toEqual([60, 60, 30]);
  });

  it('count along with those that were made together with another limit', async () => {
    const another = new LimitCounterRepository('another', MINUTE, app.nest.get(CountingPool));
    await LimitCounterRepository.take([
      { counter, key: 'a' },
      { counter: another, key: 'a' },
    ]);

    expect((await counter.take('a')).taken).toBe(2);
  });

  it('do not make two replicas wait for each other, whatever order each is asked in', async () => {
    for (const key of KEYS) await counter.take(key);
    const held = await Held.by(app.database, `SELECT 1 FROM rate_limits WHERE key = 'test:c' FOR UPDATE`, []);

    const forwards = Promise.all(KEYS.map((key) => counter.take(key)));
    const backwards = Promise.all(KEYS.toReversed().map((key) => ofOtherReplica.take(key)));
    await held.untilWaiting(2);
    await held.release();

    const counts = [...(await forwards), ...(await backwards)];
    expect(takenOf(counts).sort()).toEqual([2, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
  });
});
