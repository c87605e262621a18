import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ProviderUnavailable } from './mailer.js';

const MAX_RETRY_AFTER_SECONDS = 600;

/** When the provider takes no mail. Every replica reads it here, so that all of them together leave it alone. */
@Injectable()
export class MailOutagesRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * Begins an outage, or another pause of it: as long as the provider asked for, else twice as long each time up to
   * half a minute. The mails that failed together with the first one count as one.
   */
  async extend(provider: string, { details }: ProviderUnavailable): Promise<void> {
    const retryAfterSeconds = Math.min(details.retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
    await this.database.query(
      `INSERT INTO mail_outages AS o (provider, paused_until, is_key_refused)
       VALUES ($1, now() + make_interval(secs => greatest($2::float, 1)), $3)
       ON CONFLICT (provider) DO UPDATE
          SET failures = o.failures + 1, is_key_refused = excluded.is_key_refused,
              paused_until = now() + make_interval(secs => greatest($2::float, least(2 ^ least(o.failures, 5), 30)))
        WHERE o.paused_until <= now()`,
      [provider, retryAfterSeconds, details.isKeyRefused === true],
    );
  }

  async end(provider: string): Promise<void> {
    await this.database.query('DELETE FROM mail_outages WHERE provider = $1', [provider]);
  }

  /** Whether the provider refuses the key it was given. */
  async isKeyRefused(provider: string): Promise<boolean> {
    const [outage] = await this.database.query(
      'SELECT is_key_refused AS "isKeyRefused" FROM mail_outages WHERE provider = $1',
      [provider],
    );
    return outage?.isKeyRefused === true;
  }
}
