import type { DataSource } from 'typeorm';
import type { OutageNames } from './queue-names.js';
import type { Unavailable } from './unavailable.js';

const MAX_RETRY_AFTER_SECONDS = 600;

/** When an endpoint takes nothing. Every replica reads it here, so that all of them together leave the endpoint alone. */
export class OutagesRepository {
  constructor(
    private readonly database: DataSource,
    private readonly names: OutageNames,
  ) {}

  /**
   * Begins an outage, or another pause of it: twice as long each time up to half a minute, or longer where the endpoint
   * asked for it, up to ten minutes. Rows that fail during a pause change nothing: they count with the one that began
   * it. Only the probe, which is tried during a pause of its own, begins the next one.
   */
  async extend(
    { endpoint, probeEndsAt }: { endpoint: string; probeEndsAt: Date | null },
    { details }: Unavailable,
  ): Promise<void> {
    const { table, endpoint: name, refused } = this.names;
    const retryAfterSeconds = Math.min(details.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
    await this.database.query(
      `INSERT INTO ${table} AS o (${name}, paused_until, ${refused})
       VALUES ($1, now() + make_interval(secs => greatest($2::float, 1)), $3)
       ON CONFLICT (${name}) DO UPDATE
          SET failures = o.failures + 1, ${refused} = excluded.${refused},
              paused_until = now() + make_interval(secs => greatest($2::float, least(2 ^ least(o.failures, 5), 30)))
        WHERE o.paused_until <= now() OR o.paused_until = $4`,
      [endpoint, retryAfterSeconds, details.isRefused === true, probeEndsAt],
    );
  }

  /** Ends the pause that lasts while a probe is tried, unless the endpoint is still down and there is another pause. */
  async endProbe(endpoint: string, probeEndsAt: Date): Promise<void> {
    const { table, endpoint: name } = this.names;
    await this.database.query(
      `UPDATE ${table} SET paused_until = date_trunc('milliseconds', now()) WHERE ${name} = $1 AND paused_until = $2`,
      [endpoint, probeEndsAt],
    );
  }

  async end(endpoint: string): Promise<void> {
    const { table, endpoint: name } = this.names;
    await this.database.query(`DELETE FROM ${table} WHERE ${name} = $1`, [endpoint]);
  }

  /** Which of some endpoints refuse the requests as such. */
  async refusing(endpoints: string[]): Promise<string[]> {
    const { table, endpoint, refused } = this.names;
    const outages = await this.database.query<{ endpoint: string }[]>(
      `SELECT ${endpoint} AS endpoint FROM ${table} WHERE ${refused} AND ${endpoint} = ANY($1) ORDER BY 1`,
      [endpoints],
    );
    return outages.map(({ endpoint }) => endpoint);
  }
}
