import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { SessionsRepository } from '../accounts/sessions.repository.js';
import { Gathered } from '../database/gathered.js';

/** Notes when sessions were last seen: gathered, and written off the request's path, at most once a minute each. */
@Injectable()
export class SessionActivity implements BeforeApplicationShutdown {
  private readonly logger = new Logger(SessionActivity.name);
  private readonly seen: Gathered<true>;

  constructor(sessions: SessionsRepository) {
    // What fails is only logged: the next request of the session notes it again.
    this.seen = new Gathered(async (seen) => {
      await sessions.touch([...seen.keys()]).catch((error) => {
        const fields = { event: 'session.last_seen_failed', err: error };
        this.logger.warn(fields, 'The service could not note when some sessions were last seen.');
      });
    });
  }

  note(sessionId: string): void {
    this.seen.note(sessionId, true);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.seen.flush();
  }
}
