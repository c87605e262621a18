import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { TooManyRequests } from '../http/errors.js';
import type { Counted, LimitCounterRepository } from '../rate-limits/limit-counter.repository.js';
import { Limits } from '../rate-limits/limits.js';
import { secondsUntilReset } from '../rate-limits/rate-limit-fields.js';

/** How much longer than the model a turn may take before its process counts as dead. */
const GRACE_SECONDS = 10;

/**
 * Lets a user ask the model for one thing at a time, over all replicas. A turn is a row that ends by itself, not a
 * lock: that would keep a connection for as long as the model writes.
 */
@Injectable()
export class Turns {
  private readonly underway: LimitCounterRepository;

  constructor({ aiTimeoutSeconds }: Environment, limits: Limits) {
    const limit = { max: 1, seconds: aiTimeoutSeconds + GRACE_SECONDS };
    this.underway = limits.counter('ai-turns', limit);
  }

  /** Throws TooManyRequests while the user's last turn is not over. */
  async take(userId: string): Promise<Counted> {
    const turn = await this.underway.take(userId);
    if (turn.taken > 1) throw new TooManyRequests(secondsUntilReset(turn));
    return turn;
  }

  async end(turn: Counted): Promise<void> {
    await this.underway.reopen(turn);
  }
}
