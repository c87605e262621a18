import { RateLimiterMemory } from 'rate-limiter-flexible';

/** Characters of a hashed key that tell the counters apart: 64² of them. */
const SIGNIFICANT_CHARACTERS = 2;

/**
 * Counts in the memory of this process while the database does not. There are 4,096 counters a quota, however many
 * keys there are: strangers who share one are stopped sooner, and nobody fills the memory.
 */
export class Insurance extends RateLimiterMemory {
  override getKey(key: string | number): string {
    return super.getKey(String(key).slice(0, SIGNIFICANT_CHARACTERS));
  }
}
