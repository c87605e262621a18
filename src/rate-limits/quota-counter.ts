import type { Quota } from '../config/quota.js';
import type { CountingPool } from './counting-pool.js';
import { DatabaseLimiter } from './database-limiter.js';
import { Insurance } from './insurance.js';

/** A point taken from a quota. */
export interface Point {
  counter: QuotaCounter;
  key: string;
  /** Points taken so far, this one included: more than the quota has when none was left. */
  taken: number;
  /** When all points are back, by the clock of `performance.now()`. */
  resetsAt: number;
}

/**
 * Counts against one quota, for all replicas together: a point is taken in one statement, so that many requests at
 * once do not get more points than there are. The time begins with the first point taken.
 */
export class QuotaCounter {
  private readonly limiter: DatabaseLimiter;

  constructor(
    readonly policy: string,
    readonly quota: Quota,
    pool: CountingPool,
  ) {
    const options = { keyPrefix: policy, points: quota.points, duration: quota.seconds };
    this.limiter = new DatabaseLimiter({
      ...options,
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      insuranceLimiter: new Insurance(options),
    });
  }

  /** Takes a point. What the library calls a penalty counts as its `consume` does, but never rejects. */
  async take(key: string): Promise<Point> {
    const { consumedPoints, msBeforeNext } = await this.limiter.penalty(key);
    return { counter: this, key, taken: consumedPoints, resetsAt: performance.now() + msBeforeNext };
  }

  /** Gives a point back, unless it has come back by itself: it would be one too many in the time that follows. */
  async giveBack({ key, resetsAt }: Point): Promise<void> {
    if (performance.now() < resetsAt) await this.limiter.reward(key);
  }

  /** Withholds all points for a while. Takes twice as many as there are: those in flight may yet be given back. */
  async close(key: string, seconds: number): Promise<void> {
    await this.limiter.set(key, this.quota.points * 2, seconds);
  }

  /** Gives all points back, whoever took them. */
  async forget(key: string): Promise<void> {
    await this.limiter.delete(key);
  }

  /** Gives all points back, unless they have come back by themselves. */
  async reopen({ key, resetsAt }: Point): Promise<void> {
    if (performance.now() < resetsAt) await this.limiter.delete(key);
  }
}
