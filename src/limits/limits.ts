import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { TooManyAttempts, TooManyRequests } from '../errors/errors.js';
import { derivedKey } from '../secrets/derived-key.js';
import { CountingPool } from './counting-pool.js';
import { type Point, QuotaCounter } from './quota-counter.js';
import { rateLimitFields, secondsUntilReset } from './rate-limit-fields.js';

type Named<Setting> = Setting extends `limit${infer Name}` ? Uncapitalize<Name> : never;

/** A limit, named after its setting: that of `signupPerNetwork` is `SVC_LIMIT_SIGNUP_PER_NETWORK`. */
export type LimitName = Named<keyof Environment>;

/** How often something may be done. */
@Injectable()
export class Limits {
  private readonly counters = new Map<LimitName, QuotaCounter[]>();
  private readonly key: Uint8Array;

  constructor(
    private readonly environment: Environment,
    private readonly pool: CountingPool,
  ) {
    const [secret] = environment.jwtSecretKey;
    this.key = derivedKey(secret, 'limits');
  }

  /**
   * Takes a point from each quota of a limit, the shortest first: what that refuses costs nothing of the longer ones.
   * Throws TooManyRequests, or another refusal, when there is none left.
   */
  async take(
    name: LimitName,
    subject: string,
    Refusal: typeof TooManyRequests | typeof TooManyAttempts = TooManyRequests,
  ): Promise<Point[]> {
    if (this.environment.rateLimits === 'off') return [];
    const points: Point[] = [];

    for (const counter of this.countersOf(name)) {
      const point = await counter.take(this.keyOf(subject));
      if (point.taken > counter.quota.points)
        throw new Refusal(secondsUntilReset(point), rateLimitFields([point]));
      points.push(point);
    }
    return points;
  }

  async giveBack(points: Point[]): Promise<void> {
    await Promise.all(points.map((point) => point.counter.giveBack(point)));
  }

  private countersOf(name: LimitName): QuotaCounter[] {
    const known = this.counters.get(name);
    if (known) return known;

    const quotas = this.environment[settingOf(name)];
    const counters = quotas.map((quota) => new QuotaCounter(`${name}-${quota.seconds}`, quota, this.pool));
    this.counters.set(name, counters);
    return counters;
  }

  /**
   * Keyed, so that nobody who reads the table finds addresses in it by trying them all. With a new secret every
   * limit counts from nothing.
   */
  private keyOf(subject: string): string {
    return createHmac('sha256', this.key).update(subject).digest('base64url');
  }
}

function settingOf(name: LimitName) {
  return `limit${name.charAt(0).toUpperCase()}${name.slice(1)}` as `limit${Capitalize<LimitName>}`;
}
