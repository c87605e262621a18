import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { DELIVERIES } from '../../src/events/deliveries.js';
import { type Leased, LeasedQueueRepository } from '../../src/queues/leased-queue.repository.js';
import { Pace } from '../../src/queues/pace.js';
import { QueueWorker } from '../../src/queues/queue-worker.js';
import { Unavailable } from '../../src/queues/unavailable.js';
import { TestApp } from '../support/test-app.js';

const WAITING = 500;
const PAUSE_MS = 600_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

/** A receiver for whom rows wait, and who is paused where so many milliseconds are given. */
async function receiver(pauseMs: number | null, waiting = WAITING): Promise<string> {
  const name = randomUUID();
  await app.database.rows(
    `INSERT INTO webhook_deliveries (id, event_id, endpoint)
     SELECT gen_random_uuid(), gen_random_uuid(), $1 FROM generate_series(1, $2)`,
    [name, waiting],
  );
  if (pauseMs !== null)
    await app.database.rows(
      `INSERT INTO webhook_outages (endpoint, paused_until, is_refused)
       VALUES ($1, now() + make_interval(secs => $2::float / 1000), false)`,
      [name, pauseMs],
    );
  return name;
}

/** What a worker learns when nothing may be tried, and how many rows PostgreSQL read for that. */
function askedFor(name: string): Promise<{ ms: number | null; rowsRead: number }> {
  return app.nest.get(DataSource).transaction(async (manager) => {
    const queue = new LeasedQueueRepository<Leased>(manager as unknown as DataSource, DELIVERIES);
    await queue.claim(name, 0);
    const ms = await queue.untilDueMs(name);
    const [{ read }] = await manager.query(
      `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read
         FROM pg_stat_xact_user_tables WHERE relname = 'webhook_deliveries'`,
    );
    return { ms, rowsRead: read };
  });
}

describe('a worker that finds nothing to try', () => {
  it('reads none of the rows that wait for a receiver during its pause', async () => {
    const { ms, rowsRead } = await askedFor(await receiver(PAUSE_MS));

    expect(rowsRead).toBe(0);
    expect(ms).toBeGreaterThan(PAUSE_MS - 30_000);
    expect(ms).toBeLessThanOrEqual(PAUSE_MS);
  });

  it.each([null, -1000])('comes back for what is due, with a pause of %s ms', async (pauseMs) => {
    const { ms, rowsRead } = await askedFor(await receiver(pauseMs));

    expect(ms).toBe(0);
    expect(rowsRead).toBeGreaterThanOrEqual(WAITING);
  });

  it('knows no time where nothing waits', async () => {
    expect((await askedFor(randomUUID())).ms).toBeNull();
  });
});

/** What a receiver does with a row. */
type Reaction = 'takes it' | 'refuses this one' | 'is down';

/** A replica's worker for a receiver, and what the receiver did with the rows it tried so far. */
class Replica {
  readonly queue = new LeasedQueueRepository<Leased>(app.nest.get(DataSource), DELIVERIES);
  readonly tried: Reaction[] = [];
  private readonly worker: QueueWorker<Leased>;

  constructor(
    private readonly name: string,
    private readonly reactions: Reaction[],
    pace = new Pace(),
  ) {
    this.worker = new QueueWorker(this.queue, pace, { postponed: () => {}, givenUp: () => {} });
  }

  work(
    deliver = (rows: Leased[]): Promise<unknown> => Promise.all(rows.map((row) => this.attempt(row))),
  ): Promise<number | null> {
    return this.worker.work(this.name, 10, deliver, new AbortController().signal);
  }

  private attempt(row: Leased): Promise<void> {
    return this.worker.attempt(
      row,
      async () => this.send(),
      () => false,
    );
  }

  private send(): void {
    const reaction = this.reactions.shift() ?? 'takes it';
    this.tried.push(reaction);
    if (reaction === 'is down') throw new Unavailable('down');
    if (reaction === 'refuses this one') throw new Error('refused');
  }
}

/** How many rows of a receiver each transaction was the last to write, most first. */
const rowsByTransaction = async (name: string) =>
  (
    await app.database.rows(
      `SELECT count(*)::int FROM webhook_deliveries WHERE endpoint = $1 GROUP BY xmin::text ORDER BY 1 DESC`,
      [name],
    )
  ).map(({ count }) => count);

const outage = async (name: string) =>
  (
    await app.database.rows(
      `SELECT failures, extract(epoch FROM paused_until - now())::float AS seconds
         FROM webhook_outages WHERE endpoint = $1`,
      [name],
    )
  )[0];

/** All that a probe holds comes nearer to its end, by what the pause lasts: the lease lasts longer. */
async function aMinutePasses(name: string): Promise<void> {
  for (const [table, column] of [
    ['webhook_outages', 'paused_until'],
    ['webhook_deliveries', 'leased_until'],
  ])
    await app.database.rows(
      `UPDATE ${table} SET ${column} = ${column} - interval '56 seconds' WHERE endpoint = $1`,
      [name],
    );
}

describe('a receiver whose pause is over', () => {
  it('gets one row to try from all replicas together', async () => {
    const name = await receiver(-1000);
    const { queue } = new Replica(name, []);
    const { queue: another } = new Replica(name, []);

    const claims = await Promise.all(
      [queue, another, queue, another, queue, another].map((each) => each.claim(name, 10)),
    );

    expect(claims.flat()).toHaveLength(1);
    expect(await another.claim(name, 10)).toEqual([]);
    expect((await outage(name)).seconds).toBeGreaterThan(30);
  });

  it('gets another at once when it refuses one, and a longer pause when it is down', async () => {
    const name = await receiver(-1000, 3);
    const replica = new Replica(name, ['refuses this one', 'is down']);
    await replica.work();

    expect(replica.tried).toEqual(['refuses this one', 'is down']);
    const { failures, seconds } = await outage(name);
    expect(failures).toBe(2);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(2);
  });

  it('gets all that waits when it takes one', async () => {
    const name = await receiver(-1000, 25);
    const replica = new Replica(name, []);

    expect(await replica.work()).toBeNull();
    expect(replica.tried).toHaveLength(25);
    expect(await outage(name)).toBeUndefined();
  });

  it('gets what was put off in statements of a thousand rows, however many wait', async () => {
    const name = await receiver(-1000, 2501);
    await app.database.rows(
      `UPDATE webhook_deliveries SET due_at = now() + interval '1 hour'
        WHERE endpoint = $1 AND id > (SELECT id FROM webhook_deliveries WHERE endpoint = $1 ORDER BY id LIMIT 1)`,
      [name],
    );
    const { queue } = new Replica(name, []);
    await queue.outages.end(name);
    await queue.bringForward(name);

    const waits = `FROM webhook_deliveries WHERE endpoint = $1 AND due_at > now()`;
    expect(await app.database.value(`SELECT count(*)::int ${waits}`, [name])).toBe(0);
    expect(await rowsByTransaction(name)).toEqual([1000, 1000, 500, 1]);
  });

  it('keeps what was put off when it is down once more', async () => {
    const name = await receiver(-1000, 1);
    await app.database.rows(
      `UPDATE webhook_deliveries SET due_at = now() + interval '1 hour' WHERE endpoint = $1`,
      [name],
    );
    const { queue } = new Replica(name, []);
    await queue.bringForward(name);

    const due = 'SELECT due_at <= now() FROM webhook_deliveries WHERE endpoint = $1';
    expect(await app.database.value(due, [name])).toBe(false);
  });

  it('gets another row when the worker that tried one has died', async () => {
    const name = await receiver(-1000, 3);
    const { queue } = new Replica(name, []);
    const [lost] = await queue.claim(name, 10);
    await aMinutePasses(name);

    const [next] = await queue.claim(name, 10);
    expect(next?.id).not.toBe(lost?.id);
    await queue.outages.endProbe(name, lost?.probeEndsAt ?? new Date());
    expect((await outage(name)).seconds).toBeGreaterThan(30);
    expect(await queue.claim(name, 10)).toEqual([]);
  });

  it('gets another row at once when one could not be read', async () => {
    const name = await receiver(-1000, 3);
    const replica = new Replica(name, []);
    const failing = replica.work(() => Promise.reject(new Error('cannot be read')));
    await expect(failing).rejects.toThrow('cannot be read');

    await replica.work();
    expect(replica.tried).toHaveLength(2);
    expect(await outage(name)).toBeUndefined();
  });
});

describe('a worker whose process answers requests all the time', () => {
  it('lets rows wait a minute for a turn, and no longer', async () => {
    const pace = new Pace();
    const requests = setInterval(() => pace.noteRequest(), 10);
    const turnsTaken = Array.from({ length: 5_000 }, () => {
      pace.noteRequest();
      return pace.turn();
    });
    const name = await receiver(null, 25);
    await app.database.rows(
      `UPDATE webhook_deliveries SET due_at = due_at - interval '61 seconds' WHERE endpoint = $1`,
      [name],
    );

    const sent = new Replica(name, [], pace).work().then(() => 'before the next turn');
    const nextTurn = turnsTaken.at(-1)?.then(() => 'with the next turn');
    expect(await Promise.race([sent, nextTurn])).toBe('before the next turn');
    clearInterval(requests);
  });
});
