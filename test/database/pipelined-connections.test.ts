import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool, type PoolConfig } from 'pg';
import { PipelinedConnections, Unanswered } from '../../src/database/pipelined-connections.js';
import { PrimaryClient } from '../../src/database/primary-client.js';
import { TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.close());

/** Two connections at most, whose statements may wait for so long. */
function connectionsWith(timeLimitMs: number): PipelinedConnections {
  const options: PoolConfig = {
    connectionString: database.url,
    max: 2,
    pipeline: true,
    Client: PrimaryClient,
  };
  return new PipelinedConnections(new Pool(options), true, timeLimitMs);
}

const sleep = (seconds: number) => ({
  text: 'SELECT pg_sleep($1), pg_backend_pid() AS pid',
  values: [seconds],
});

describe('a connection that leaves a statement without an answer', () => {
  it('is ended with all that waits on it, and another one takes its place', async () => {
    const connections = connectionsWith(2_000);
    const [before] = await Promise.all([connections.query(sleep(0.1)), connections.query(sleep(0.1))]);

    const stalled = [1, 2, 3, 4].map(() => connections.query(sleep(30)));
    const outcomes = (await Promise.allSettled(stalled)).map(({ status }) => status);
    const { rows } = await connections.query(sleep(0));

    expect(outcomes).toEqual(Array(4).fill('rejected'));
    expect(rows[0].pid).not.toBe(before.rows[0].pid);
    await connections.end();
  });

  it('stays where each statement is answered in time, however long there is one', async () => {
    const connections = connectionsWith(1_500);
    const first = await connections.query(sleep(0));

    for (let sent = 1; sent <= 4; sent++) {
      const { rows } = await connections.query(sleep(0.6));
      expect(rows[0].pid).toBe(first.rows[0].pid);
    }

    await connections.end();
  });
});

describe('the time limit of a statement', () => {
  it('runs from when it was first asked, also when it is asked again after its connection broke', async () => {
    const connections = connectionsWith(2_000);
    const askedAt = performance.now() - 1_500;

    const again = connections.query(sleep(1.5), askedAt);
    const fresh = connections.query(sleep(0.1));

    await expect(again).rejects.toThrow();
    expect(performance.now() - askedAt).toBeLessThan(2_900);
    await expect(connections.query(sleep(0), askedAt - 1_000)).rejects.toBeInstanceOf(Unanswered);
    await fresh;
    await connections.end();
  });
});

describe('connections that end', () => {
  it('answer what they were sent before, and wait for nothing that comes then', async () => {
    const connections = connectionsWith(10_000);
    const slow = connections.query(sleep(0.2));

    const ended = connections.end();
    const late = connections.query({ text: 'SELECT 1' });

    expect((await Promise.allSettled([slow, late])).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
    ]);
    await ended;
  });
});
