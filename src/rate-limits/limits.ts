import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment, type LimitName, type NetworkLimit } from '../config/environment.js';
import type { Quota } from '../config/quota.js';
import { variableName } from '../config/variable-name.js';
import { TooManyAttempts, TooManyRequests } from '../http/errors.js';
import { derivedKey } from '../secrets/derived-key.js';
import { CountingPool } from './counting-pool.js';
import { LimitMetrics } from './limit-metrics.js';
import { networkOf, siteOf } from './network.js';
import { type Counted, type Point, QuotaCounter } from './quota-counter.js';
import { rateLimitFields, secondsUntilReset } from './rate-limit-fields.js';

/** How many times as much as one network a site may do: its networks may belong to one subscriber or to many. */
const NETWORKS_A_SITE = 8;

/** How often something may be done. */
@Injectable()
export class Limits {
  private readonly counters = new Map<string, QuotaCounter[]>();
  private readonly minutes: QuotaCounter;
  private readonly key: Uint8Array;

  constructor(
    private readonly environment: Environment,
    private readonly pool: CountingPool,
    private readonly metrics: LimitMetrics,
  ) {
    const [secret] = environment.jwtSecretKey;
    this.key = derivedKey(secret, 'limits');
    this.minutes = new QuotaCounter('onceAMinute-60', { points: 1, seconds: 60 }, pool);
  }

  /**
   * Takes a point from each quota of a limit, the shortest first: a request that it refuses takes none of the longer
   * ones. Throws TooManyRequests, or another refusal, when there is none left.
   */
  async take(
    name: LimitName,
    subject: string,
    Refusal: typeof TooManyRequests | typeof TooManyAttempts = TooManyRequests,
  ): Promise<Point[]> {
    return this.takeFrom(name, this.countersOf(name), subject, Refusal);
  }

  /** Takes from the limit of a network, and from that of its site where it has one. Throws TooManyRequests. */
  async takeOfNetwork(name: NetworkLimit, ip: string | null): Promise<Point[]> {
    const [network, site] = [networkOf(ip), siteOf(ip)];
    const points = await this.take(name, network);
    if (site === network) return points;
    return [...points, ...(await this.takeFrom(name, this.countersOfSites(name), site, TooManyRequests))];
  }

  /** Does something unless the service has done it within the last minute. An act that failed does not count. */
  async onceAMinute(subject: string, act: () => Promise<void>): Promise<void> {
    if (this.environment.rateLimits === 'off') return act();
    const key = this.keyOf(subject);
    if ((await this.minutes.take(key)).taken > 1) return;

    try {
      await act();
    } catch (error) {
      await QuotaCounter.forget([{ counter: this.minutes, key }]);
      throw error;
    }
  }

  async giveBack(points: Point[]): Promise<void> {
    await Promise.all(points.map((point) => point.counter.giveBack(point)));
  }

  /** What a limit counts of a subject. */
  countedOf(name: LimitName, subject: string): Counted[] {
    return this.countersOf(name).map((counter) => ({ counter, key: this.keyOf(subject) }));
  }

  /**
   * Keyed, so that an attacker who reads the table cannot find addresses in it by trying them all. With a new secret
   * every limit counts from nothing.
   */
  keyOf(subject: string): string {
    return createHmac('sha256', this.key).update(subject).digest('base64url');
  }

  private async takeFrom(
    name: LimitName,
    counters: QuotaCounter[],
    subject: string,
    Refusal: typeof TooManyRequests | typeof TooManyAttempts,
  ): Promise<Point[]> {
    if (this.environment.rateLimits === 'off') return [];
    const points: Point[] = [];

    for (const counter of counters) {
      const point = await counter.take(this.keyOf(subject));
      if (point.taken > counter.quota.points) {
        const limit = variableName(settingOf(name));
        this.metrics.refused.inc({ limit });
        throw new Refusal(secondsUntilReset(point), rateLimitFields([point]), limit);
      }
      points.push(point);
    }
    return points;
  }

  private countersOf(name: LimitName): QuotaCounter[] {
    return this.countersCalled(name, this.environment[settingOf(name)]);
  }

  private countersOfSites(name: NetworkLimit): QuotaCounter[] {
    const quotas = this.environment[settingOf(name)];
    const larger = quotas.map(({ points, seconds }) => ({ points: points * NETWORKS_A_SITE, seconds }));
    return this.countersCalled(`${name}Site`, larger);
  }

  private countersCalled(name: string, quotas: Quota[]): QuotaCounter[] {
    const known = this.counters.get(name);
    if (known) return known;

    const counters = quotas.map((quota) => new QuotaCounter(`${name}-${quota.seconds}`, quota, this.pool));
    this.counters.set(name, counters);
    return counters;
  }
}

function settingOf(name: LimitName) {
  return `limit${name.charAt(0).toUpperCase()}${name.slice(1)}` as `limit${Capitalize<LimitName>}`;
}
