import { createHmac } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { groupsOf, ipv4Of, numberOf } from '../config/address-space.js';
import { Environment, type LimitName, type NetworkLimit } from '../config/environment.js';
import type { Limit } from '../config/limit.js';
import { variableName } from '../config/variable-name.js';
import type { Actor, Caller } from '../http/caller.js';
import { InvalidToken, TooManyAttempts, TooManyRequests } from '../http/errors.js';
import { derivedKey } from '../secrets/derived-key.js';
import { withoutTag } from '../validation/address.js';
import {
  type Counted,
  CountingPool,
  LimitCounterRepository,
  type LimitKey,
} from './limit-counter.repository.js';
import { LimitMetrics } from './limit-metrics.js';
import { rateLimitFields, secondsUntilReset } from './rate-limit-fields.js';

/** The network of all requests without an address: together they may do what one network may. */
const NOWHERE = 'nowhere';

/** How many times as much as one network a site may do: its networks may belong to one subscriber or to many. */
const NETWORKS_A_SITE = 8;

/** How many times as much as one session all sessions of a user may do: the thief of one leaves the owner as much. */
const SESSIONS_A_USER = 2;

/** The mails that others than the owner of the address can ask for, and a login code that a device of theirs asks for. */
type LimitedMail =
  | 'signup'
  | 'resend'
  | 'invitation'
  | 'change'
  | 'login'
  | 'login from a known device'
  | 'step-up';

type Refusal = typeof TooManyRequests | typeof TooManyAttempts;

/** A limit of a setting, the subject that it is counted for, and how an act beyond it is refused. */
export interface SubjectLimit extends LimitKey {
  name: LimitName;
  Refusal: Refusal;
}

/** How often something may be done. */
@Injectable()
export class Limits {
  private readonly counters = new Map<string, LimitCounterRepository[]>();
  private readonly minutes: LimitCounterRepository;
  private readonly key: Uint8Array;

  constructor(
    private readonly environment: Environment,
    private readonly pool: CountingPool,
    private readonly metrics: LimitMetrics,
  ) {
    const [secret] = environment.jwtSecretKey;
    this.key = derivedKey(secret, 'limits');
    this.minutes = this.counter('onceAMinute-60', { max: 1, seconds: 60 });
  }

  /**
   * Counts an act of a subject against each limit of a setting, the shortest first: what that one refuses does not count
   * against the longer ones. Throws TooManyRequests, or another refusal, beyond a limit.
   */
  async take(
    name: LimitName,
    subject: string,
    Refusal: Refusal = TooManyRequests,
  ): Promise<Counted<SubjectLimit>[]> {
    return this.assertLeft(await LimitCounterRepository.take(this.limitsOf(name, subject, Refusal)));
  }

  /**
   * Counts a mail of a kind to an address. Each kind counts apart, so that strangers who sign up or ask for links use up nothing of the others. The tags of a mailbox count as one address, and apart from the address without
   * one: who mails to tags uses up nothing of it. Throws TooManyRequests.
   */
  async takeMail(kind: LimitedMail, email: string): Promise<void> {
    await this.take('mailPerAddress', `${kind} ${withoutTag(email)}`);
  }

  /** Takes from the limit of a network, and from that of its site where it has one. Throws TooManyRequests. */
  async takeOfNetwork(name: NetworkLimit, ip: string | null): Promise<Counted[]> {
    return this.assertLeft(await LimitCounterRepository.take(this.limitsOfNetwork(name, ip)));
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

  /** Throws the refusal of the limit that an act went beyond. */
  assertLeft(counts: Counted<SubjectLimit>[]): Counted<SubjectLimit>[] {
    for (const count of counts) {
      if (count.taken <= count.counter.limit.max) continue;
      const limit = variableName(settingOf(count.name));
      this.metrics.refused.inc({ limit });
      throw new count.Refusal(secondsUntilReset(count), rateLimitFields([count]), limit);
    }
    return counts;
  }

  /**
   * Those counts that used up their limit, as one does in each window, and notes them in the metrics: the owner is told
   * what the account has no attempt left for.
   */
  lastOf(counts: Counted<SubjectLimit>[]): Counted<SubjectLimit>[] {
    const last = counts.filter(({ taken, counter }) => taken === counter.limit.max);
    for (const { name } of last) this.metrics.usedUp.inc({ limit: variableName(settingOf(name)) });
    return last;
  }

  /** What an act of a subject counts against a limit: nothing while the limits are off. */
  limitsOf(limit: LimitName, subject: string, Refusal: Refusal = TooManyRequests): SubjectLimit[] {
    return this.subjectLimits(limit, this.countersOf(limit), subject, Refusal);
  }

  /** What an act counts against the limit of its network, and of its site where it has one. */
  limitsOfNetwork(limit: NetworkLimit, ip: string | null): SubjectLimit[] {
    const [network, site] = [networkOf(ip), siteOf(ip)];
    const limits = this.limitsOf(limit, network);
    if (site === network) return limits;
    return [...limits, ...this.subjectLimits(limit, this.countersOfSites(limit), site, TooManyRequests)];
  }

  /**
   * What an act within a session counts against a limit: first for the session, then for all sessions of its user. These
   * are counts of their own, which nothing outside a session takes from.
   */
  limitsOfSession(
    limit: LimitName,
    { session, user }: Caller,
    Refusal: Refusal = TooManyRequests,
  ): SubjectLimit[] {
    return [
      ...this.limitsOf(limit, session.id, Refusal),
      ...this.subjectLimits(limit, this.countersOfSessions(limit), user.id, Refusal),
    ];
  }

  /** A count of its own, beside those of the settings. */
  counter(policy: string, limit: Limit): LimitCounterRepository {
    return new LimitCounterRepository(policy, limit, this.pool);
  }

  /**
   * Does something unless the service has done it within the last minute, when it returns null. An act that failed does
   * not count.
   */
  async onceAMinute<Result>(subject: string, act: () => Promise<Result>): Promise<Result | null> {
    if (this.environment.rateLimits === 'off') return act();
    const key = this.keyOf(subject);
    if ((await this.minutes.take(key)).taken > 1) return null;

    try {
      return await act();
    } catch (error) {
      await LimitCounterRepository.giveBack([], [{ counter: this.minutes, key }]);
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

  private subjectLimits(
    name: LimitName,
    counters: LimitCounterRepository[],
    subject: string,
    Refusal: Refusal,
  ): SubjectLimit[] {
    if (this.environment.rateLimits === 'off') return [];
    const key = this.keyOf(subject);
    return counters.map((counter) => ({ counter, key, name, Refusal }));
  }

  private countersOf(name: LimitName): LimitCounterRepository[] {
    return this.countersCalled(name, this.environment[settingOf(name)]);
  }

  private countersOfSites(name: NetworkLimit): LimitCounterRepository[] {
    return this.countersCalled(`${name}Site`, this.limitsTimes(NETWORKS_A_SITE, name));
  }

  private countersOfSessions(name: LimitName): LimitCounterRepository[] {
    return this.countersCalled(`${name}Sessions`, this.limitsTimes(SESSIONS_A_USER, name));
  }

  private limitsTimes(factor: number, name: LimitName): Limit[] {
    return this.environment[settingOf(name)].map(({ max, seconds }) => ({
      max: max * factor,
      seconds,
    }));
  }

  private countersCalled(name: string, limits: Limit[]): LimitCounterRepository[] {
    const known = this.counters.get(name);
    if (known) return known;

    const counters = limits.map((limit) => this.counter(`${name}-${limit.seconds}`, limit));
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
