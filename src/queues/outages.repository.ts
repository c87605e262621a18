import type { DataSource } from 'typeorm';
import type { OutageNames } from './queue-names.js';
import type { Unavailable } from './unavailable.js';

const MAX_RETRY_AFTER_SECONDS = 600;

/** When a receiver takes nothing. Every replica reads it here, so that all of them together leave the receiver alone. */
export class OutagesRepository {
  constructor(
    private readonly database: DataSource,
    private readonly names: OutageNames,
  ) {}

  /**
   * Begins an outage, or another pause of it: twice as long each time up to half a minute, or longer where the receiver
   * asked for it, up to ten minutes. Rows that fail during a pause change nothing: they count with the one that began
   * it. Only the probe, which is tried during a pause of its own, begins the next one.
   */
  async extend(
    { lane, probeEndsAt }: { lane: string; probeEndsAt: Date | null },
    { details }: Unavailable,
  ): Promise<void> {
    const { table, lane: name, refused } = this.names;
    const retryAfterSeconds = Math.min(details.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
    await this.database.query(
      `INSERT INTO ${table} AS o (${name}, paused_until, ${refused})
       VALUES ($1, now() + make_interval(secs => greatest($2::float, 1)), $3)
       ON CONFLICT (${name}) DO UPDATE
          SET failures = o.failures + 1, ${refused} = excluded.${refused},
              paused_until = now() + make_interval(secs => greatest($2::float, least(2 ^ least(o.failures, 5), 30)))
        WHERE o.paused_until <= now() OR o.paused_until = $4`,
      [lane, retryAfterSeconds, details.isRefused === true, probeEndsAt],
    );
  }

  /** Ends the pause that lasts while a probe is tried, unless the receiver is still down and there is another pause. */
  async endProbe(lane: string, probeEndsAt: Date): Promise<void> {
    const { table, lane: name } = this.names;
    await this.database.query(
      `UPDATE ${table} SET paused_until = date_trunc('milliseconds', now()) WHERE ${name} = $1 AND paused_until = $2`,
      [lane, probeEndsAt],
    );
  }

  async end(lane: string): Promise<void> {
    const { table, lane: name } = this.names;
    await this.database.query(`DELETE FROM ${table} WHERE ${name} = $1`, [lane]);
  }

  /** Which of some receivers refuse the requests as such. */
  async refusing(lanes: string[]): Promise<string[]> {
    const { table, lane, refused } = this.names;
    const outages = await this.database.query<{ lane: string }[]>(
      `SELECT ${lane} AS lane FROM ${table} WHERE ${refused} AND ${lane} = ANY($1) ORDER BY 1`,
      [lanes],
    );
    return outages.map(({ lane }) => lane);
  }
}
