import { Injectable, Logger } from '@nestjs/common';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import { Environment } from '../config/environment.js';
import type { Limit } from '../config/limit.js';
import { CONNECT_TIMEOUT_MS } from '../database/pool.js';
import { ReservedConnections } from '../database/reserved-connections.js';
import { within } from '../database/time-limit.js';
import { type Count, MemoryFallback } from './memory-fallback.js';

/** What is counted against a limit under a key. */
export interface LimitKey {
  counter: LimitCounterRepository;
  key: string;
}

/** How often something was done under a key of a limit. */
export type Counted<Of extends LimitKey = LimitKey> = Of & Count;

/** A key that one turn of the event loop asks to count under. */
interface Asked {
  row: string;
  resolve: (count: Count) => void;
  reject: (error: unknown) => void;
}

/** Keys in a statement: with more, the service would idle while the database counts. */
const KEYS_TOGETHER = 10;

/**
 * In whole milliseconds, as the rows have it: a window would else have a part of one more than its length left. `extract`
 * would count in decimals, and make the statement a sixth slower.
 */
const NOW_MS = `(date_part('epoch', clock_timestamp()) * 1000)::bigint`;

/**
 * Counts so often under each key of one limit. The time is not `now()`, which is when the statement began: one that waits
 * for another would count its wait on top of the window. A PostgreSQL that crashes forgets the counts of its last moments,
 * as with the function `take_points`.
 */
const TAKE_TOGETHER = {
  name: 'take-points-together',
  text: `
    INSERT INTO rate_limits AS r (key, points, expire)
    SELECT asked.key, asked.points, ${NOW_MS} + $3::bigint
      FROM set_config('synchronous_commit', 'off', true),
           unnest($1::text[], $2::integer[]) AS asked (key, points)
    ON CONFLICT (key) DO UPDATE SET
      points = CASE WHEN r.expire <= excluded.expire - $3 THEN excluded.points ELSE r.points + excluded.points END,
      expire = CASE WHEN r.expire <= excluded.expire - $3 THEN excluded.expire ELSE r.expire END
    RETURNING r.key AS row, r.points AS taken, greatest(0, r.expire - ${NOW_MS})::float8 AS ms_before_reset`,
};

// Both functions lock the keys in the order in which they get them. All statements name them in one order, so that no two
// deadlock: those of the network before those of the account, of one setting the limit of the shortest time first, and
// the keys of one limit in their own order.
const TAKE = { name: 'take-points', text: 'SELECT taken, ms_before_reset FROM take_points($1, $2, $3)' };
const GIVE_BACK = { name: 'give-points-back', text: 'SELECT give_points_back($1, $2)' };

const CLOSE = `
  INSERT INTO rate_limits (key, points, expire)
  VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $3::bigint)
  ON CONFLICT (key) DO UPDATE SET points = excluded.points, expire = excluded.expire`;

/**
 * Counts against one limit, for all replicas together: one statement counts and tells the count, so that many requests
 * at once do not go beyond the limit. The time begins with the first count, by the clock of the database; otherwise one
 * replica whose clock is ahead would forget what all of them have counted. Each count that fails there is made in the
 * memory of this process.
 */
export class LimitCounterRepository {
  private readonly memory = new MemoryFallback();
  private asked: Asked[] = [];

  constructor(
    readonly policy: string,
    readonly limit: Limit,
    private readonly pool: CountingPool,
  ) {}

  /**
   * Counts against one limit after the other, in one statement, and ends with the first that is exceeded: what it
   * refuses does not count against the others. A request of one limit shares its statement with others.
   */
  static async take<Of extends LimitKey>(keys: Of[]): Promise<Counted<Of>[]> {
    const [first, ...others] = keys;
    if (!first) return [];
    if (others.length === 0) return [{ ...first, ...(await first.counter.takeWithOthers(first.key)) }];

    const limits = keys.map(({ counter }) => counter.limit.max);
    const windows = keys.map(({ counter }) => counter.limit.seconds * 1000);
    try {
      const { rows } = await first.counter.pool.query({
        ...TAKE,
        values: [keys.map(rowOf), limits, windows],
      });
      return rows.map(({ taken, ms_before_reset }, place) => ({
        ...(keys[place] as Of),
        taken,
        resetsAt: performance.now() + ms_before_reset,
      }));
    } catch {
      return LimitCounterRepository.takeFromMemory(keys);
    }
  }

  /**
   * Takes counts back, except those whose time is over, which would be too many in the time that follows; and of some
   * limits all counts, also those of other requests. One statement does all of it.
   */
  static async giveBack(counts: Counted[], allOf: LimitKey[] = []): Promise<void> {
    const someOf = counts.filter(({ resetsAt }) => performance.now() < resetsAt);
    const [first] = [...someOf, ...allOf];
    await first?.counter.pool
      .query({ ...GIVE_BACK, values: [someOf.map(rowOf), allOf.map(rowOf)] })
      .catch(() => {
        for (const { counter, key } of someOf) counter.memory.giveBack(key);
        for (const { counter, key } of allOf) counter.memory.forget(key);
      });
  }

  private static takeFromMemory<Of extends LimitKey>(keys: Of[]): Counted<Of>[] {
    const counts: Counted<Of>[] = [];
    for (const each of keys) {
      const { memory, limit } = each.counter;
      const count = { ...each, ...memory.take(each.key, limit.seconds) };
      counts.push(count);
      if (count.taken > limit.max) break;
    }
    return counts;
  }

  async take(key: string): Promise<Counted> {
    return { counter: this, key, ...(await this.takeWithOthers(key)) };
  }

  /** Uses the limit up for a while. Counts twice as many as it allows: requests under way may give some back. */
  async close(key: string, seconds: number): Promise<void> {
    const taken = this.limit.max * 2;
    const closing = this.pool.query({
      text: CLOSE,
      values: [rowOf({ counter: this, key }), taken, seconds * 1000],
    });
    await closing.catch(() => this.memory.close(key, taken, seconds));
  }

  /** Forgets what was counted under the key, unless its time is over. */
  async reopen(count: Counted): Promise<void> {
    if (performance.now() < count.resetsAt) await LimitCounterRepository.giveBack([], [count]);
  }

  /**
   * Shares a statement with the others that one turn of the event loop asks for: most of what a count costs is the
   * statement and its transaction. Those under one key are counted at once, and handed out in the order in which they
   * were asked for.
   */
  private takeWithOthers(key: string): Promise<Count> {
    if (this.asked.length === 0) setImmediate(() => this.sendAsked());
    const counting = new Promise<Count>((resolve, reject) => {
      this.asked.push({ row: rowOf({ counter: this, key }), resolve, reject });
    });
    return counting.catch(() => this.memory.take(key, this.limit.seconds));
  }

  private sendAsked(): void {
    const asked = this.asked;
    this.asked = [];
    while (asked.length > 0) void this.answer(asked.splice(0, KEYS_TOGETHER));
  }

  private async answer(asked: Asked[]): Promise<void> {
    try {
      const askedOf = groupByRow(asked);
      for (const { row, taken, ms_before_reset } of await this.countIn(askedOf)) {
        const resetsAt = performance.now() + ms_before_reset;
        const here = askedOf.get(row) ?? [];
        const before = taken - here.length;
        for (const [index, { resolve }] of here.entries()) resolve({ taken: before + index + 1, resetsAt });
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }

  /** Names the rows in their order, in which the statement locks them: of two that name the same, neither deadlocks. */
  private async countIn(askedOf: Map<string, Asked[]>) {
    const rows = [...askedOf.keys()].sort();
    const times = rows.map((row) => askedOf.get(row)?.length);
    const values = [rows, times, this.limit.seconds * 1000];
    const answer = await this.pool.query({ ...TAKE_TOGETHER, values });
    return answer.rows as { row: string; taken: number; ms_before_reset: number }[];
  }
}

function rowOf({ counter, key }: LimitKey): string {
  return `${counter.policy}:${key}`;
}

function groupByRow(asked: Asked[]): Map<string, Asked[]> {
  const askedOf = new Map<string, Asked[]>();
  for (const each of asked) {
    const others = askedOf.get(each.row);
    if (others) others.push(each);
    else askedOf.set(each.row, [each]);
  }
  return askedOf;
}

/** A statement takes about a millisecond. */
const CONNECTIONS = 2;

/** How long the database may take to count: as long as for a connection. */
const TIME_LIMIT_MS = CONNECT_TIMEOUT_MS;

/** How long the service does not ask the database again after it took longer. */
const REST_MS = 5_000;

/**
 * The connections that limits are counted on. A database that is slow or down is not asked again for a while, so that
 * requests do not wait for each count. The counters use memory meanwhile.
 */
@Injectable()
export class CountingPool {
  private readonly logger = new Logger(CountingPool.name);
  private readonly pool: Pool;
  /** By the clock of `performance.now()`, which no operator puts back. */
  private restsUntil = 0;

  constructor(
    private readonly environment: Environment,
    connections: ReservedConnections,
  ) {
    this.pool = connections.reserve(CONNECTIONS);
  }

  /** Throws when the database fails or is slow, and while it rests after that. */
  async query({ name, ...statement }: QueryConfig<unknown[]>): Promise<QueryResult> {
    if (performance.now() < this.restsUntil) throw new Error('The database rests.');
    try {
      const counting = this.pool.query(this.environment.databasePrepare ? { ...statement, name } : statement);
      return await within(TIME_LIMIT_MS, counting);
    } catch (error) {
      this.rest(error);
      throw error;
    }
  }

  /** Several counts may fail together; the log needs the first of them only. */
  private rest(error: unknown): void {
    const rests = performance.now() < this.restsUntil;
    this.restsUntil = performance.now() + REST_MS;
    if (rests) return;
    this.logger.warn(
      { event: 'limits.in_memory', err: error },
      'The service counts limits in memory until the database answers.',
    );
  }
}
