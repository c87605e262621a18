import { createHmac } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { groupsOf, ipv4Of, numberOf } from '../config/address-space.js';
import { Environment, type LimitName, type NetworkLimit } from '../config/environment.js';
import type { Quota } from '../config/quota.js';
import { variableName } from '../config/variable-name.js';
import type { Actor, Caller } from '../http/caller.js';
import { InvalidToken, TooManyAttempts, TooManyRequests } from '../http/errors.js';
import { derivedKey } from '../secrets/derived-key.js';
import { withoutTag } from '../validation/address.js';
import { CountingPool } from './counting-pool.js';
import { LimitMetrics } from './limit-metrics.js';
import { type Counted, type Point, QuotaCounterRepository } from './quota-counter.repository.js';
import { rateLimitFields, secondsUntilReset } from './rate-limit-fields.js';

/** The network of all requests without an address: together they may do what one network may. */
const NOWHERE = 'nowhere';

/** How many times as much as one network a site may do: its networks may belong to one subscriber or to many. */
const NETWORKS_A_SITE = 8;

/** How many times as much as one session all sessions of a user may do: the thief of one leaves the owner as much. */
const SESSIONS_A_USER = 2;

/** The mails that others than the owner of the address can ask for. */
type LimitedMail = 'signup' | 'resend' | 'invitation' | 'change';

type Refusal = typeof TooManyRequests | typeof TooManyAttempts;

/** What an act counts against a quota of a limit, and how it is refused when no point is left. */
export interface Use extends Counted {
  limit: LimitName;
  Refusal: Refusal;
}

/** How often something may be done. */
@Injectable()
export class Limits {
  private readonly counters = new Map<string, QuotaCounterRepository[]>();
  private readonly minutes: QuotaCounterRepository;
  private readonly key: Uint8Array;

  constructor(
    private readonly environment: Environment,
    private readonly pool: CountingPool,
    private readonly metrics: LimitMetrics,
  ) {
    const [secret] = environment.jwtSecretKey;
    this.key = derivedKey(secret, 'limits');
    this.minutes = new QuotaCounterRepository('onceAMinute-60', { points: 1, seconds: 60 }, pool);
  }

  /**
   * Takes a point from each quota of a limit, the shortest first: a request that it refuses takes none of the longer
   * ones. Throws TooManyRequests, or another refusal, when there is none left.
   */
  async take(name: LimitName, subject: string, Refusal: Refusal = TooManyRequests): Promise<Point<Use>[]> {
    return this.assertLeft(await QuotaCounterRepository.take(this.usesOf(name, subject, Refusal)));
  }

  /**
   * Takes a point for a mail of a kind to an address. Each kind counts apart, so that strangers who sign up or ask for
   * links use up nothing of the others. The tags of a mailbox count as one address, and apart from the address without
   * one: who mails to tags uses up nothing of it. Throws TooManyRequests.
   */
  async takeMail(kind: LimitedMail, email: string): Promise<void> {
    await this.take('mailPerAddress', `${kind} ${withoutTag(email)}`);
  }

  /** Takes from the limit of a network, and from that of its site where it has one. Throws TooManyRequests. */
  async takeOfNetwork(name: NetworkLimit, ip: string | null): Promise<Point[]> {
    return this.assertLeft(await QuotaCounterRepository.take(this.usesOfNetwork(name, ip)));
  }

  /**
   * Finds what a mailed token opens. A wrong token counts against the network, and a right one against itself: whatever
   * others behind the same address present, the holder of a link is let in. Throws TooManyRequests.
   */
  async findByToken<Found>(
    name: NetworkLimit,
    token: string,
    { ip }: Actor,
    find: (token: string) => Promise<Found>,
  ): Promise<Found> {
    try {
      const found = await find(token);
      await this.take(name, token);
      return found;
    } catch (error) {
      if (error instanceof InvalidToken) await this.takeOfNetwork(name, ip);
      throw error;
    }
  }

  /** Throws what the limit that had no point left refuses with. */
  assertLeft(points: Point<Use>[]): Point<Use>[] {
    for (const point of points) {
      if (point.taken <= point.counter.quota.points) continue;
      const limit = variableName(settingOf(point.limit));
      this.metrics.refused.inc({ limit });
      throw new point.Refusal(secondsUntilReset(point), rateLimitFields([point]), limit);
    }
    return points;
  }

  /**
   * Those points that were the last of their quota, as one is in each window, and counts them: what an account has no
   * attempt left for is told to its owner.
   */
  lastOf(points: Point<Use>[]): Point<Use>[] {
    const last = points.filter(({ taken, counter }) => taken === counter.quota.points);
    for (const { limit } of last) this.metrics.usedUp.inc({ limit: variableName(settingOf(limit)) });
    return last;
  }

  /** What an act of a subject counts against a limit: nothing while the limits are off. */
  usesOf(limit: LimitName, subject: string, Refusal: Refusal = TooManyRequests): Use[] {
    return this.uses(limit, this.countersOf(limit), subject, Refusal);
  }

  /** What an act counts against the limit of its network, and of its site where it has one. */
  usesOfNetwork(limit: NetworkLimit, ip: string | null): Use[] {
    const [network, site] = [networkOf(ip), siteOf(ip)];
    const uses = this.usesOf(limit, network);
    if (site === network) return uses;
    return [...uses, ...this.uses(limit, this.countersOfSites(limit), site, TooManyRequests)];
  }

  /**
   * What an act within a session counts against a limit: first for the session, then for all sessions of its user. These
   * are counts of their own, which nothing outside a session takes from.
   */
  usesOfSession(limit: LimitName, { session, user }: Caller, Refusal: Refusal = TooManyRequests): Use[] {
    return [
      ...this.usesOf(limit, session.id, Refusal),
      ...this.uses(limit, this.countersOfSessions(limit), user.id, Refusal),
    ];
  }

  /** Does something unless the service has done it within the last minute. An act that failed does not count. */
  async onceAMinute(subject: string, act: () => Promise<void>): Promise<void> {
    if (this.environment.rateLimits === 'off') return act();
    const key = this.keyOf(subject);
    if ((await this.minutes.take(key)).taken > 1) return;

    try {
      await act();
    } catch (error) {
      await QuotaCounterRepository.giveBack([], [{ counter: this.minutes, key }]);
      throw error;
    }
  }

  /**
   * Keyed, so that an attacker who reads the table cannot find addresses in it by trying them all. With a new secret
   * every limit counts from nothing.
   */
  keyOf(subject: string): string {
    return createHmac('sha256', this.key).update(subject).digest('base64url');
  }

  private uses(
    limit: LimitName,
    counters: QuotaCounterRepository[],
    subject: string,
    Refusal: Refusal,
  ): Use[] {
    if (this.environment.rateLimits === 'off') return [];
    const key = this.keyOf(subject);
    return counters.map((counter) => ({ counter, key, limit, Refusal }));
  }

  private countersOf(name: LimitName): QuotaCounterRepository[] {
    return this.countersCalled(name, this.environment[settingOf(name)]);
  }

  private countersOfSites(name: NetworkLimit): QuotaCounterRepository[] {
    return this.countersCalled(`${name}Site`, this.quotasTimes(NETWORKS_A_SITE, name));
  }

  private countersOfSessions(name: LimitName): QuotaCounterRepository[] {
    return this.countersCalled(`${name}Sessions`, this.quotasTimes(SESSIONS_A_USER, name));
  }

  private quotasTimes(factor: number, name: LimitName): Quota[] {
    return this.environment[settingOf(name)].map(({ points, seconds }) => ({
      points: points * factor,
      seconds,
    }));
  }

  private countersCalled(name: string, quotas: Quota[]): QuotaCounterRepository[] {
    const known = this.counters.get(name);
    if (known) return known;

    const counters = quotas.map(
      (quota) => new QuotaCounterRepository(`${name}-${quota.seconds}`, quota, this.pool),
    );
    this.counters.set(name, counters);
    return counters;
  }
}

function settingOf(name: LimitName) {
  return `limit${name.charAt(0).toUpperCase()}${name.slice(1)}` as `limit${Capitalize<LimitName>}`;
}

/**
 * The network an address belongs to, within which one subscriber moves freely: an IPv4 address by itself, or the
 * first 64 bits of an IPv6 address (RFC 6177).
 */
function networkOf(ip: string | null): string {
  if (ip === null) return NOWHERE;
  if (isIPv4(ip)) return ip;
  return isIPv6(ip) ? networkOfIPv6(ip) : NOWHERE;
}

/**
 * The site an address belongs to, whose subscriber may move among many networks: an IPv4 address by itself, or the
 * first 48 bits of an IPv6 address, the most that a site is given (RFC 6177).
 */
export function siteOf(ip: string | null): string {
  const network = networkOf(ip);
  return network.includes(':') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network;
}

/** One that a socket for both kinds shows as an IPv6 address (RFC 4291 §2.5.5.2) counts as the IPv4 address it is. */
function networkOfIPv6(ip: string): string {
  const groups = groupsOf(ip);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? ipv4Of(numberOf(ip)) : groups.slice(0, 4).join(':');
}
