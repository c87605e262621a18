import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { CountingPool } from './counting-pool.js';

/** What a count leaves in the table. */
interface Counted {
  rows: [{ points: number; ms_before_next: number }];
}

/**
 * The time now, not `now()`, when the statement began: it may wait for one that begins later, and would count the
 * wait on top of the window.
 */
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
const IS_OVER = '$4 OR r.expire <= excluded.expire - $3::bigint';

/** Fewer points than none would be attempts too many: what is given back may have been forgotten meanwhile. */
const COUNT = `
  INSERT INTO rate_limits AS r (key, points, expire) VALUES ($1, greatest(0, $2::int), ${NOW_MS} + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN ${IS_OVER} THEN excluded.points ELSE greatest(0, r.points + $2::int) END,
    expire = CASE WHEN ${IS_OVER} THEN excluded.expire ELSE r.expire END
  RETURNING points, greatest(0, expire - ${NOW_MS})::float AS ms_before_next`;

/**
 * The library's limiter, by the clock of the database: otherwise one replica whose clock is ahead would forget what
 * all of them have counted. The methods it overrides go by the clock of the process.
 */
export class DatabaseLimiter extends RateLimiterPostgres {
  declare private readonly client: CountingPool;

  _upsert(key: string, points: number, milliseconds: number, isAnew: boolean): Promise<unknown> {
    return this.client.query({ text: COUNT, values: [key, points, milliseconds, isAnew] });
  }

  _getRateLimiterRes(_key: string, _points: number, { rows: [counted] }: Counted): RateLimiterRes {
    const { points, ms_before_next: msBeforeNext } = counted;
    return new RateLimiterRes(Math.max(0, this.points - points), msBeforeNext, points);
  }
}
