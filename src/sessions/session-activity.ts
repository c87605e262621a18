import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { SessionsRepository } from '../accounts/sessions.repository.js';

const FLUSH_AFTER_MS = 2_000;

/** Notes when sessions were last seen: gathered, and written off the request's path, at most once a minute each. */
@Injectable()
export class SessionActivity implements BeforeApplicationShutdown {
  private readonly logger = new Logger(SessionActivity.name);
  private readonly seen = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly sessions: SessionsRepository) {}

  note(sessionId: string): void {
    this.seen.add(sessionId);
    this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Writes what was gathered. What fails is only logged: the next request of the session notes it again. */
  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const ids = [...this.seen];
    this.seen.clear();
    if (ids.length === 0) return;

    await this.sessions.touch(ids).catch((error) => {
      const fields = { event: 'session.last_seen_failed', err: error };
      this.logger.warn(fields, 'The service could not note when some sessions were last seen.');
    });
  }
}
