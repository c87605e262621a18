import { Injectable } from '@nestjs/common';
import type { QueryConfig } from 'pg';
import { DataSource, IsNull, LessThan, Not } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { LookupConnections } from '../database/lookup-connections.js';
import { longEnough } from '../database/lookups.js';
import { Key } from './key.entity.js';
import { KeySecret } from './key-secret.entity.js';

/** A key, as the check of a request finds it by a secret: also one that has ended, so that its owner learns who uses it. */
export interface FoundKey
  extends Pick<Key, 'id' | 'orgId' | 'name' | 'permissions' | 'networks' | 'perMinute'> {
  secretId: string;
  /** Whether the key, or this secret of it, has ended. */
  isEnded: boolean;
  isExpired: boolean;
  /** Whether its last use was noted more than a minute ago. */
  isUsedLongAgo: boolean;
}

/** A key with its secrets, the newest first. */
export type ListedKey = Key & { secrets: KeySecret[] };

/** The last use of a secret. */
export interface Use {
  secretId: string;
  ip: string | null;
}

/** The last use of a secret is noted once in so long. */
const USE_SECONDS = 60;

/** Ended keys and secrets are kept so long. */
export const KEY_MEMORY_DAYS = 90;

const resumeWhere = (condition: string) => `
  SELECT encode(s.secret_hash, 'hex') AS "secretHash", k.id, k.org_id AS "orgId", k.name, k.permissions, k.networks,
         k.per_minute AS "perMinute", s.id AS "secretId", (k.ended_at IS NOT NULL OR s.ended_at IS NOT NULL) AS "isEnded",
         coalesce(s.expires_at <= now(), false) AS "isExpired",
         coalesce(s.last_used_at < now() - interval '${USE_SECONDS} seconds', true) AS "isUsedLongAgo"
    FROM key_secrets s JOIN keys k ON k.id = s.key_id
   WHERE ${condition}`;

const ONE: QueryConfig = { name: 'resume-key', text: resumeWhere('s.secret_hash = $1') };
const MANY: QueryConfig = { name: 'resume-keys', text: resumeWhere('s.secret_hash = ANY ($1)') };

@Injectable()
export class KeysRepository {
  constructor(
    private readonly database: DataSource,
    private readonly lookups: LookupConnections,
  ) {}

  /** The keys of ten secrets at most, in their order, null for each that is unknown. */
  async findBySecrets(hashes: Buffer[]): Promise<(FoundKey | null)[]> {
    const statement =
      hashes.length === 1 ? { ...ONE, values: hashes } : { ...MANY, values: [longEnough(hashes)] };
    const rows: (FoundKey & { secretHash: string })[] = await this.lookups.query(statement);
    const byHash = new Map(rows.map((row) => [row.secretHash, row]));
    return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
  }

  /** A page of the keys of an organization, or of the operator, newest first, from below an id. */
  async findOf(
    orgId: string | null,
    isEnded: boolean,
    before: string | null,
    limit: number,
  ): Promise<ListedKey[]> {
    const keys = await this.database.manager.find(Key, {
      where: {
        orgId: orgId ?? IsNull(),
        endedAt: isEnded ? Not(IsNull()) : IsNull(),
        ...(before !== null && { id: LessThan(before) }),
      },
      order: { id: 'DESC' },
      take: limit,
    });
    return this.withSecrets(keys);
  }

  /** A live key of an organization, or of the operator, locked until the transaction ends. */
  lock(id: string, orgId: string | null, tx: Transaction): Promise<Key | null> {
    return tx.manager.findOne(Key, {
      where: { id, orgId: orgId ?? IsNull(), endedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async insert(key: Omit<Key, 'createdAt' | 'endedAt' | 'org'>, tx: Transaction): Promise<void> {
    await tx.manager.insert(Key, key);
  }

  async update(
    id: string,
    change: Partial<Pick<Key, 'name' | 'permissions' | 'networks' | 'perMinute'>>,
    tx: Transaction,
  ): Promise<void> {
    await tx.manager.update(Key, { id }, change);
  }

  /** Adds a secret, which expires in so many days; null for never. */
  async insertSecret(
    secret: Pick<KeySecret, 'id' | 'keyId' | 'secretHash' | 'hint' | 'madeBy'>,
    days: number | null,
    tx: Transaction,
  ): Promise<void> {
    const { id, keyId, secretHash, hint, madeBy } = secret;
    await tx.query(
      `INSERT INTO key_secrets (id, key_id, secret_hash, hint, made_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(days => $6))`,
      [id, keyId, secretHash, hint, madeBy, days],
    );
  }

  /** How many live keys an organization has, or the operator. */
  count(orgId: string | null, tx: Transaction): Promise<number> {
    return tx.manager.countBy(Key, { orgId: orgId ?? IsNull(), endedAt: IsNull() });
  }

  /** Whether a live key of an organization, or of the operator, but one has a name. */
  isNamed(name: string, orgId: string | null, besides: string | null, tx: Transaction): Promise<boolean> {
    return tx.manager.existsBy(Key, {
      name,
      orgId: orgId ?? IsNull(),
      endedAt: IsNull(),
      ...(besides !== null && { id: Not(besides) }),
    });
  }

  /** The secrets of a key that open something, the newest first. */
  findLiveSecrets(keyId: string, tx: Transaction): Promise<KeySecret[]> {
    return tx.query(
      `SELECT id, hint FROM key_secrets
        WHERE key_id = $1 AND ended_at IS NULL AND coalesce(expires_at > now(), true) ORDER BY id DESC`,
      [keyId],
    );
  }

  /** Ends a secret in so many hours, or earlier where it expires earlier; in none, now. */
  async endSecret(id: string, hours: number, tx: Transaction): Promise<void> {
    await tx.query(
      `UPDATE key_secrets SET expires_at = least(expires_at, now() + make_interval(hours => $2)),
              ended_at = CASE WHEN $2 = 0 THEN now() END
        WHERE id = $1`,
      [id, hours],
    );
  }

  /** Ends a key, and all its secrets with it. */
  async end(id: string, tx: Transaction): Promise<void> {
    await tx.manager.update(Key, { id }, { endedAt: () => 'now()' });
    await tx.manager.update(KeySecret, { keyId: id, endedAt: IsNull() }, { endedAt: () => 'now()' });
  }

  async get(id: string): Promise<ListedKey> {
    const [key] = await this.withSecrets([await this.database.manager.findOneByOrFail(Key, { id })]);
    return key as ListedKey;
  }

  /** Notes the last uses of secrets. A row that is locked is left for the next time, so that this never waits. */
  async touch(uses: Use[]): Promise<void> {
    await this.database.query(
      `UPDATE key_secrets s SET last_used_at = now(), last_used_ip = u.ip
         FROM unnest($1::uuid[], $2::inet[]) AS u (id, ip)
        WHERE s.id = u.id
          AND s.id IN (SELECT id FROM key_secrets
                        WHERE id = ANY ($1)
                          AND coalesce(last_used_at < now() - make_interval(secs => ${USE_SECONDS}), true)
                          FOR UPDATE SKIP LOCKED)`,
      [uses.map(({ secretId }) => secretId), uses.map(({ ip }) => ip)],
    );
  }

  private async withSecrets(keys: Key[]): Promise<ListedKey[]> {
    if (keys.length === 0) return [];
    const secrets = await this.database.query<KeySecret[]>(
      `SELECT id, key_id AS "keyId", hint, made_by AS "madeBy", created_at AS "createdAt", expires_at AS "expiresAt",
              ended_at AS "endedAt", last_used_at AS "lastUsedAt", host(last_used_ip) AS "lastUsedIp"
         FROM key_secrets WHERE key_id = ANY ($1) ORDER BY id DESC`,
      [keys.map(({ id }) => id)],
    );
    return keys.map((key) => ({ ...key, secrets: secrets.filter(({ keyId }) => keyId === key.id) }));
  }
}
