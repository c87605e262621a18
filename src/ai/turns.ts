import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { TooManyRequests } from '../http/errors.js';
import { CountingPool } from '../rate-limits/counting-pool.js';
import { type Point, QuotaCounterRepository } from '../rate-limits/quota-counter.repository.js';
import { secondsUntilReset } from '../rate-limits/rate-limit-fields.js';

/** How much longer than the model a turn may take before its process counts as dead. */
const GRACE_SECONDS = 10;

/**
 * Lets a user ask the model for one thing at a time, over all replicas. A turn is a row that ends by itself, not a
 * lock: that would keep a connection for as long as the model writes.
 */
@Injectable()
export class Turns {
  private readonly underway: QuotaCounterRepository;

  constructor({ aiTimeoutSeconds }: Environment, pool: CountingPool) {
    const quota = { points: 1, seconds: aiTimeoutSeconds + GRACE_SECONDS };
    this.underway = new QuotaCounterRepository('ai-turns', quota, pool);
  }

  /** Throws TooManyRequests while the user's last turn is not over. */
  async take(userId: string): Promise<Point> {
    const turn = await this.underway.take(userId);
    if (turn.taken > 1) throw new TooManyRequests(secondsUntilReset(turn));
    return turn;
  }

  async end(turn: Point): Promise<void> {
    await this.underway.reopen(turn);
  }
}
