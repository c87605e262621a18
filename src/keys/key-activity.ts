import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { KeysRepository } from '../accounts/keys.repository.js';
import { Gathered } from '../database/gathered.js';

/** Notes when secrets of keys were last used: gathered, and written off the request's path, at most once a minute each. */
@Injectable()
export class KeyActivity implements BeforeApplicationShutdown {
  private readonly logger = new Logger(KeyActivity.name);
  private readonly used: Gathered<string | null>;

  constructor(keys: KeysRepository) {
    this.used = new Gathered(async (used) => {
      const uses = [...used].map(([secretId, ip]) => ({ secretId, ip }));
      await keys.touch(uses).catch((error) => {
        const fields = { event: 'key.last_used_failed', err: error };
        this.logger.warn(fields, 'The service could not note when some keys were last used.');
      });
    });
  }

  note(secretId: string, ip: string | null): void {
    this.used.note(secretId, ip);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.used.flush();
  }
}
