import type { Quota } from '../config/quota.js';
import type { CountingPool } from './counting-pool.js';
import { type Count, MemoryFallback } from './memory-fallback.js';

/** What is counted against a quota under a key. */
export interface Counted {
  counter: QuotaCounter;
  key: string;
}

/** A point that was taken from a quota. */
export interface Point extends Count, Counted {}

/**
 * The time now, not `now()`, which is when the statement began: one that waits for a statement that began later would
 * count its wait on top of the window.
 */
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const IS_OVER = 'r.expire <= excluded.expire - $3::bigint';

/** Fewer points than none would be attempts too many: another request may have forgotten what this one gives back. */
const COUNT = `
  INSERT INTO rate_limits AS r (key, points, expire) VALUES ($1, greatest(0, $2::int), ${NOW_MS} + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN ${IS_OVER} THEN excluded.points ELSE greatest(0, r.points + $2::int) END,
    expire = CASE WHEN ${IS_OVER} THEN excluded.expire ELSE r.expire END
  RETURNING points, greatest(0, expire - ${NOW_MS})::float AS ms_before_reset`;

const CLOSE = `
  INSERT INTO rate_limits (key, points, expire) VALUES ($1, $2, ${NOW_MS} + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET points = excluded.points, expire = excluded.expire`;

/** Locked in one order, so that two that forget the same keys do not deadlock. */
const FORGET = `
  DELETE FROM rate_limits
   WHERE key IN (SELECT key FROM rate_limits WHERE key = ANY ($1) ORDER BY key FOR UPDATE)`;

/**
 * Counts against one quota, for all replicas together: a point is taken in one statement, so that many requests at
 * once do not get more points than there are. The time begins with the first point taken, by the clock of the
 * database; otherwise one replica whose clock is ahead would forget what all of them have counted. Each count that
 * fails there is made in the memory of this process.
 */
export class QuotaCounter {
  private readonly memory = new MemoryFallback();

  constructor(
    readonly policy: string,
    readonly quota: Quota,
    private readonly pool: CountingPool,
  ) {}

  /** Gives all points back that were counted, also those that other requests took: one statement for all quotas. */
  static async forget(counted: Counted[]): Promise<void> {
    const rows = counted.map(({ counter, key }) => counter.rowOf(key));
    await counted[0]?.counter.pool.query(FORGET, [rows]).catch(() => {
      for (const { counter, key } of counted) counter.memory.forget(key);
    });
  }

  async take(key: string): Promise<Point> {
    const count = await this.add(1, key).catch(() => this.memory.take(key, this.quota.seconds));
    return { counter: this, key, ...count };
  }

  /** Gives a point back, unless it has come back by itself: it would be one too many in the time that follows. */
  async giveBack({ key, resetsAt }: Point): Promise<void> {
    if (performance.now() < resetsAt) await this.add(-1, key).catch(() => this.memory.giveBack(key));
  }

  /** Withholds all points for a while. Takes twice as many as there are: requests under way may give some back. */
  async close(key: string, seconds: number): Promise<void> {
    const points = this.quota.points * 2;
    const closing = this.pool.query(CLOSE, [this.rowOf(key), points, seconds * 1000]);
    await closing.catch(() => this.memory.close(key, points, seconds));
  }

  /** Gives all points back, unless they have come back by themselves. */
  async reopen(point: Point): Promise<void> {
    if (performance.now() < point.resetsAt) await QuotaCounter.forget([point]);
  }

  private async add(points: number, key: string): Promise<Count> {
    const { rows } = await this.pool.query(COUNT, [this.rowOf(key), points, this.quota.seconds * 1000]);
    return { taken: rows[0].points, resetsAt: performance.now() + rows[0].ms_before_reset };
  }

  private rowOf(key: string): string {
    return `${this.policy}:${key}`;
  }
}
