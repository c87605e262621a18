import type { Quota } from '../config/quota.js';
import type { CountingPool } from './counting-pool.js';
import { type Count, MemoryFallback } from './memory-fallback.js';
import { PointsTogetherRepository } from './points-together.repository.js';

/** What is counted against a quota under a key. */
export interface Counted {
  counter: QuotaCounterRepository;
  key: string;
}

/** A point that was taken from a quota. */
export type Point<Of extends Counted = Counted> = Of & Count;

// Both functions lock the keys in the order in which they get them. All statements name them in one order, so that no two
// deadlock: those of the network before those of the account, of one limit the shortest quota first, and the keys of one
// quota in their own order.
const TAKE = { name: 'take-points', text: 'SELECT taken, ms_before_reset FROM take_points($1, $2, $3)' };
const GIVE_BACK = { name: 'give-points-back', text: 'SELECT give_points_back($1, $2)' };

const CLOSE = `
  INSERT INTO rate_limits (key, points, expire)
  VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET points = excluded.points, expire = excluded.expire`;

/**
 * Counts against one quota, for all replicas together: a point is taken in one statement, so that many requests at
 * once do not get more points than there are. The time begins with the first point taken, by the clock of the
 * database; otherwise one replica whose clock is ahead would forget what all of them have counted. Each count that
 * fails there is made in the memory of this process.
 */
export class QuotaCounterRepository {
  private readonly memory = new MemoryFallback();
  private readonly together: PointsTogetherRepository;

  constructor(
    readonly policy: string,
    readonly quota: Quota,
    private readonly pool: CountingPool,
  ) {
    this.together = new PointsTogetherRepository(policy, quota, pool);
  }

  /**
   * Takes a point from one quota after the other, in one statement, and ends with the first that had none left: a
   * request that it refuses takes none of the others. A request of one quota shares its statement with others.
   */
  static async take<Of extends Counted>(counted: Of[]): Promise<Point<Of>[]> {
    const [first, ...others] = counted;
    if (!first) return [];
    if (others.length === 0) return [{ ...first, ...(await first.counter.takeWithOthers(first.key)) }];

    const quotas = counted.map(({ counter }) => counter.quota.points);
    const windows = counted.map(({ counter }) => counter.quota.seconds * 1000);
    try {
      const { rows } = await first.counter.pool.query({
        ...TAKE,
        values: [counted.map(rowOf), quotas, windows],
      });
      return rows.map(({ taken, ms_before_reset }, place) => ({
        ...(counted[place] as Of),
        taken,
        resetsAt: performance.now() + ms_before_reset,
      }));
    } catch {
      return QuotaCounterRepository.takeFromMemory(counted);
    }
  }

  /**
   * Gives points back, except those that have come back by themselves, which would be too many in the time that
   * follows; and of some quotas all points, also those that other requests took. One statement for all of them.
   */
  static async giveBack(points: Point[], allOf: Counted[] = []): Promise<void> {
    const someOf = points.filter(({ resetsAt }) => performance.now() < resetsAt);
    const [first] = [...someOf, ...allOf];
    await first?.counter.pool
      .query({ ...GIVE_BACK, values: [someOf.map(rowOf), allOf.map(rowOf)] })
      .catch(() => {
        for (const { counter, key } of someOf) counter.memory.giveBack(key);
        for (const { counter, key } of allOf) counter.memory.forget(key);
      });
  }

  private static takeFromMemory<Of extends Counted>(counted: Of[]): Point<Of>[] {
    const points: Point<Of>[] = [];
    for (const each of counted) {
      const { memory, quota } = each.counter;
      const point = { ...each, ...memory.take(each.key, quota.seconds) };
      points.push(point);
      if (point.taken > quota.points) break;
    }
    return points;
  }

  async take(key: string): Promise<Point> {
    return { counter: this, key, ...(await this.takeWithOthers(key)) };
  }

  /** Withholds all points for a while. Takes twice as many as there are: requests under way may give some back. */
  async close(key: string, seconds: number): Promise<void> {
    const points = this.quota.points * 2;
    const closing = this.pool.query({
      text: CLOSE,
      values: [rowOf({ counter: this, key }), points, seconds * 1000],
    });
    await closing.catch(() => this.memory.close(key, points, seconds));
  }

  /** Gives all points back, unless they have come back by themselves. */
  async reopen(point: Point): Promise<void> {
    if (performance.now() < point.resetsAt) await QuotaCounterRepository.giveBack([], [point]);
  }

  private takeWithOthers(key: string): Promise<Count> {
    return this.together.take(key).catch(() => this.memory.take(key, this.quota.seconds));
  }
}

function rowOf({ counter, key }: Counted): string {
  return `${counter.policy}:${key}`;
}
