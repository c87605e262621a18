import { Injectable, Logger } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { Permissions } from '../access/permissions.js';
import type { Key } from '../accounts/key.entity.js';
import { type FoundKey, KeysRepository } from '../accounts/keys.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { Lookups } from '../database/lookups.js';
import { type CallerKey, THE_SERVICE } from '../http/caller.js';
import {
  KeyNameTaken,
  LastSecret,
  NotFound,
  TooManyKeys,
  TooManyRequests,
  TwoSecretsLive,
  Unauthenticated,
} from '../http/errors.js';
import { networkOf } from '../http/org-policy.js';
import { knowsClients } from '../http/trusted-proxies.js';
import type { LimitCounterRepository } from '../rate-limits/limit-counter.repository.js';
import { Limits, siteOf } from '../rate-limits/limits.js';
import { rateLimitFields, secondsUntilReset } from '../rate-limits/rate-limit-fields.js';
import { hintOf, mintKey } from '../secrets/key-form.js';
import { hashToken } from '../secrets/token.js';
import { KeyActivity } from './key-activity.js';
import { KeyMetrics } from './key-metrics.js';

/** Live keys of an organization, and of the operator. */
const MOST_KEYS = 50;

/** Refusals of a key that are recorded in an hour: who has an ended one must not fill the table from many networks. */
const MOST_RECORDED = 10;

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

/** Why a key opens nothing. */
export type KeyRefusal = 'ended' | 'expired' | 'address' | 'permission' | 'quota';

/** What is said of a key when it is made. */
export type NewKey = Pick<Key, 'name' | 'permissions' | 'networks' | 'perMinute'> & {
  orgId: string | null;
  /** Days until its secret expires; null for never. */
  days: number | null;
};

/** The life of a key: made, presented by each request, given a second secret, ended. */
@Injectable()
export class KeysService {
  private readonly logger = new Logger(KeysService.name);
  private readonly lookups: Lookups<FoundKey>;
  private readonly recorded: LimitCounterRepository;
  private readonly recordedOfKey: LimitCounterRepository;
  /** By how many requests a minute they allow. */
  private readonly counters = new Map<number, LimitCounterRepository>();

  constructor(
    private readonly keys: KeysRepository,
    private readonly permissions: Permissions,
    private readonly activity: KeyActivity,
    private readonly transactions: Transactions,
    private readonly limits: Limits,
    private readonly environment: Environment,
    private readonly metrics: KeyMetrics,
  ) {
    this.lookups = new Lookups((hashes) => keys.findBySecrets(hashes));
    this.recorded = limits.counter('key-refusals', { max: 1, seconds: HOUR_SECONDS });
    this.recordedOfKey = limits.counter('key-refusals-of-key', { max: MOST_RECORDED, seconds: HOUR_SECONDS });
  }

  /**
   * The key of a secret, presented from an address. Throws Unauthenticated, the same for every reason: who has stolen a key
   * does not even learn that it is one. Its organization does.
   */
  async resume(secret: string, ip: string | null): Promise<CallerKey & Pick<FoundKey, 'perMinute'>> {
    const found = await this.lookups.find(hashToken(secret));
    const refusal = found && this.refusalOf(found, ip);
    if (!found) this.metrics.checks.inc({ owner: 'none', outcome: 'unknown' });
    if (found && refusal) this.noteRefusal({ ...found, ownOrgId: found.orgId }, refusal, ip);
    if (!found || refusal)
      throw new Unauthenticated('This key opens nothing here.', {
        'www-authenticate': 'Bearer realm="latchkey", error="invalid_token"',
      });

    this.metrics.checks.inc({ owner: found.orgId === null ? 'operator' : 'org', outcome: 'admitted' });
    if (found.isUsedLongAgo) this.activity.note(found.secretId, ip);
    const { id, name, orgId: ownOrgId, perMinute } = found;
    return {
      id,
      name,
      ownOrgId,
      perMinute,
      permissions: this.permissions.ofKey(found.permissions, ownOrgId),
    };
  }

  /** Counts a request of a key. Throws TooManyRequests beyond what it may in a minute. */
  async count(key: CallerKey & Pick<FoundKey, 'perMinute'>): Promise<void> {
    const max = key.perMinute ?? this.environment.keyPerMinute;
    if (max === undefined || this.environment.rateLimits === 'off') return;
    const counter = this.counterOf(max);
    const count = await counter.take(key.id);
    if (count.taken <= max) return;
    this.metrics.checks.inc({ owner: key.ownOrgId === null ? 'operator' : 'org', outcome: 'quota' });
    throw new TooManyRequests(secondsUntilReset(count), rateLimitFields([count]), 'SVC_KEY_PER_MINUTE');
  }

  /**
   * Records that a key was refused: once an hour for key, reason and network, and ten times an hour for the key. Not awaited,
   * so that it must not throw.
   */
  noteRefusal(
    { id, name, ownOrgId }: Pick<CallerKey, 'id' | 'name' | 'ownOrgId'>,
    reason: KeyRefusal,
    ip: string | null,
  ): void {
    this.metrics.checks.inc({ owner: ownOrgId === null ? 'operator' : 'org', outcome: reason });
    void this.isNews(id, reason, ip)
      .then(async (isNews) => {
        if (!isNews) return;
        const details = { key_id: id, name, reason };
        await this.transactions.record('key.refused', { ...THE_SERVICE, ip }, { orgId: ownOrgId, details });
      })
      .catch((error) => {
        const fields = { event: 'key.refusal_failed', err: error };
        this.logger.error(fields, 'The service could not record that it refused a key.');
      });
  }

  /** Throws TooManyKeys and KeyNameTaken. The caller has locked the organization, and judged what the maker may give. */
  async make({ orgId, days, ...key }: NewKey, tx: Transaction): Promise<{ id: string; secret: string }> {
    if ((await this.keys.count(orgId, tx)) >= MOST_KEYS) throw new TooManyKeys();
    if (await this.keys.isNamed(key.name, orgId, null, tx)) throw new KeyNameTaken();
    const id = uuidv7();
    await this.keys.insert({ ...key, id, orgId, madeBy: tx.by.userId }, tx);
    const secret = await this.addSecret(id, orgId, days, tx);
    await tx.record('key.made', { orgId, details: detailsOf({ id, ...key }) });
    return { id, secret };
  }

  /**
   * Makes a second secret of a live key. The former one ends in so many hours; null for when somebody ends it. Throws NotFound
   * and TwoSecretsLive.
   */
  async rotate(
    { id, orgId }: Pick<Key, 'id' | 'orgId'>,
    days: number | null,
    formerEndsInHours: number | null,
    tx: Transaction,
  ): Promise<string> {
    const key = await this.lock(id, orgId, tx);
    const live = await this.keys.findLiveSecrets(id, tx);
    if (live.length > 1) throw new TwoSecretsLive();
    if (formerEndsInHours !== null)
      for (const former of live) await this.keys.endSecret(former.id, formerEndsInHours, tx);
    const secret = await this.addSecret(id, orgId, days, tx);
    await tx.record('key.rotated', { orgId, details: { ...detailsOf(key), hint: hintOf(secret) } });
    return secret;
  }

  /** Ends one of two secrets. Throws NotFound, and LastSecret for the only one. */
  async endSecret(
    { id, orgId }: Pick<Key, 'id' | 'orgId'>,
    secretId: string,
    tx: Transaction,
  ): Promise<void> {
    const key = await this.lock(id, orgId, tx);
    const live = await this.keys.findLiveSecrets(id, tx);
    const secret = live.find((each) => each.id === secretId);
    if (!secret) throw new NotFound();
    if (live.length === 1) throw new LastSecret();
    await this.keys.endSecret(secretId, 0, tx);
    await tx.record('key.secret_ended', { orgId, details: { ...detailsOf(key), hint: secret.hint } });
  }

  /** Ends a key, and all its secrets with it. Throws NotFound. */
  async end({ id, orgId }: Pick<Key, 'id' | 'orgId'>, tx: Transaction): Promise<void> {
    const key = await this.lock(id, orgId, tx);
    await this.keys.end(id, tx);
    await tx.record('key.ended', { orgId, details: detailsOf(key) });
  }

  /** A live key, locked. Throws NotFound. */
  async lock(id: string, orgId: string | null, tx: Transaction): Promise<Key> {
    const key = await this.keys.lock(id, orgId, tx);
    if (!key) throw new NotFound();
    return key;
  }

  private async addSecret(
    keyId: string,
    orgId: string | null,
    days: number | null,
    tx: Transaction,
  ): Promise<string> {
    const secret = mintKey(this.environment.keyPrefix, orgId === null ? 'svc' : 'org');
    const row = { id: uuidv7(), keyId, secretHash: hashToken(secret), hint: hintOf(secret) };
    await this.keys.insertSecret({ ...row, madeBy: tx.by.userId }, days, tx);
    return secret;
  }

  private async isNews(id: string, reason: KeyRefusal, ip: string | null): Promise<boolean> {
    const ofNetwork = await this.recorded.take(this.limits.keyOf(`${id} ${reason} ${siteOf(ip)}`));
    if (ofNetwork.taken > 1) return false;
    return (await this.recordedOfKey.take(id)).taken <= MOST_RECORDED;
  }

  private counterOf(max: number): LimitCounterRepository {
    const counter = this.counters.get(max) ?? this.limits.counter('key-60', { max, seconds: MINUTE_SECONDS });
    this.counters.set(max, counter);
    return counter;
  }

  private refusalOf(found: FoundKey, ip: string | null): KeyRefusal | null {
    if (found.isEnded) return 'ended';
    if (found.isExpired) return 'expired';
    const { networks } = found;
    // Behind a proxy that no setting names, all clients would seem to have its address.
    const client = knowsClients(this.environment) ? ip : null;
    return networks !== null && (client === null || networkOf(networks, client) === null) ? 'address' : null;
  }
}

/** What the record of an act says of a key: never a secret. */
function detailsOf({ id, name, permissions }: Pick<Key, 'id' | 'name' | 'permissions'>) {
  return { key_id: id, name, permissions: permissions.join(' ') };
}
