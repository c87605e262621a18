import type { Quota } from '../config/quota.js';
import type { CountingPool } from './counting-pool.js';
import type { Count } from './memory-fallback.js';

interface Asked {
  key: string;
  resolve: (count: Count) => void;
  reject: (error: unknown) => void;
}

/** Points in a statement: with more, the service would idle while the database counts. */
const POINTS_TOGETHER = 10;

/**
 * In whole milliseconds, as the rows have it: a window would else have a part of one more than its length left. `extract`
 * would count in decimals, and make the statement a sixth slower.
 */
const NOW_MS = `(date_part('epoch', clock_timestamp()) * 1000)::bigint`;

/**
 * Takes so many points under each key. The time is not `now()`, which is when the statement began: one that waits for
 * another would count its wait on top of the window. A PostgreSQL that crashes forgets the counts of its last moments, as
 * with the function `take_points`.
 */
const TAKE = {
  name: 'take-points-together',
  text: `
    INSERT INTO rate_limits AS r (key, points, expire)
    SELECT asked.key, asked.points, ${NOW_MS} + $3::bigint
      FROM set_config('synchronous_commit', 'off', true),
           unnest($1::text[], $2::integer[]) AS asked (key, points)
    ON CONFLICT (key) DO UPDATE SET
      points = CASE WHEN r.expire <= excluded.expire - $3 THEN excluded.points ELSE r.points + excluded.points END,
      expire = CASE WHEN r.expire <= excluded.expire - $3 THEN excluded.expire ELSE r.expire END
    RETURNING r.key, r.points AS taken, greatest(0, r.expire - ${NOW_MS})::float8 AS ms_before_reset`,
};

/**
 * Takes ten points of a quota in a statement, of those that one turn of the event loop asks for: most of what a point
 * costs is the statement and its transaction. Those under one key are taken at once, and handed out in the order in which
 * they were asked for.
 */
export class PointsTogetherRepository {
  private asked: Asked[] = [];

  constructor(
    private readonly policy: string,
    private readonly quota: Quota,
    private readonly pool: CountingPool,
  ) {}

  /** Throws when the database does not count. */
  take(key: string): Promise<Count> {
    if (this.asked.length === 0) setImmediate(() => this.send());
    return new Promise((resolve, reject) => {
      this.asked.push({ key, resolve, reject });
    });
  }

  private send(): void {
    const asked = this.asked;
    this.asked = [];
    while (asked.length > 0) void this.answer(asked.splice(0, POINTS_TOGETHER));
  }

  private async answer(asked: Asked[]): Promise<void> {
    try {
      const askedUnder = groupByRow(this.policy, asked);
      for (const { key, taken, ms_before_reset } of await this.takeUnder(askedUnder)) {
        const resetsAt = performance.now() + ms_before_reset;
        const here = askedUnder.get(key) ?? [];
        const before = taken - here.length;
        for (const [index, { resolve }] of here.entries()) resolve({ taken: before + index + 1, resetsAt });
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  /** Names the keys in their order, in which the statement locks them: of two that name the same, neither deadlocks. */
  private async takeUnder(askedUnder: Map<string, Asked[]>) {
    const rows = [...askedUnder.keys()].sort();
    const points = rows.map((row) => askedUnder.get(row)?.length);
    const answer = await this.pool.query({ ...TAKE, values: [rows, points, this.quota.seconds * 1000] });
    return answer.rows as { key: string; taken: number; ms_before_reset: number }[];
  }
}

function groupByRow(policy: string, asked: Asked[]): Map<string, Asked[]> {
  const askedUnder = new Map<string, Asked[]>();
  for (const each of asked) {
    const row = `${policy}:${each.key}`;
    const others = askedUnder.get(row);
    if (others) others.push(each);
    else askedUnder.set(row, [each]);
  }
  return askedUnder;
}
