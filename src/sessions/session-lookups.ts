import { Injectable } from '@nestjs/common';
import { type FoundSession, LOOKUPS_TOGETHER, SessionsRepository } from '../accounts/sessions.repository.js';
import { isConnectionLost } from '../database/failures.js';

interface Lookup {
  tokenHash: Buffer;
  readsSubscription: boolean;
  resolve: (found: FoundSession | null) => void;
  reject: (error: unknown) => void;
}

/**
 * Looks up ten sessions in a statement, of those that one turn of the event loop asks for: most of what a lookup costs
 * is the way to the database and back. With all of them in one, the service would idle while the database works, and
 * the database while the service answers.
 *
 * The statement is sent after the last of them was asked for, and its answer goes to no other request, so that a
 * session that has ended is refused to the very next request. The next turn takes the connection with the fewest
 * statements that have no answer yet.
 */
@Injectable()
export class SessionLookups {
  private asked: Lookup[] = [];

  constructor(private readonly sessions: SessionsRepository) {}

  /** The active session of a token. Returns null when there is none. */
  find(tokenHash: Buffer, readsSubscription: boolean): Promise<FoundSession | null> {
    if (this.asked.length === 0) setImmediate(() => this.send());
    return new Promise((resolve, reject) => {
      this.asked.push({ tokenHash, readsSubscription, resolve, reject });
    });
  }

  private send(): void {
    const { asked } = this;
    this.asked = [];
    for (const readsSubscription of [false, true]) {
      const lookups = asked.filter((lookup) => lookup.readsSubscription === readsSubscription);
      while (lookups.length > 0) void this.answer(lookups.splice(0, LOOKUPS_TOGETHER), readsSubscription);
    }
  }

  private async answer(lookups: Lookup[], readsSubscription: boolean): Promise<void> {
    try {
      const found = await this.findAll(
        lookups.map(({ tokenHash }) => tokenHash),
        readsSubscription,
      );
      for (const [index, { resolve }] of lookups.entries()) resolve(found[index] ?? null);
    } catch (error) {
      for (const { reject } of lookups) reject(error);
    }
  }

  /** A broken connection would fail everyone on it, so they go over another; a second failure is the database's. */
  private findAll(tokenHashes: Buffer[], readsSubscription: boolean): Promise<(FoundSession | null)[]> {
    const askedAt = performance.now();
    const find = () => this.sessions.findActive(tokenHashes, askedAt, readsSubscription);
    return find().catch((error) => {
      if (!isConnectionLost(error)) throw error;
      return find();
    });
  }
}
