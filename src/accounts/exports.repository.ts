import type { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import type { OrgPolicy } from '../http/caller.js';
import type { OrgRole, OwnRole } from '../http/role.js';
import type { Org } from './org.entity.js';
import { POLICY } from './orgs.repository.js';
import type { User } from './user.entity.js';

/** Users of a statement. */
const PAGE = 1_000;

/** An organization, what it asks of its members, null for nothing, and whether SYSTEM_ADMINs may act for them. */
export type ExportedOrg = Pick<Org, 'id' | 'externalId' | 'name' | 'locale' | 'createdAt'> & {
  policy: OrgPolicy | null;
  acting: boolean;
};

/** An account with all that it has. Instants are texts as PostgreSQL has them in JSON. */
export interface ExportedUser
  extends Pick<
    User,
    | 'id'
    | 'externalId'
    | 'email'
    | 'emailVerifiedAt'
    | 'name'
    | 'locale'
    | 'timeZone'
    | 'createdAt'
    | 'disabledAt'
  > {
  ownRole: OwnRole;
  passwordHash: string | null;
  /** Encrypted. */
  totpSecret: Buffer | null;
  /** SHA-256 of each code. */
  recoveryCodes: Buffer[];
  identities: { issuer: string; subject: string; email: string | null }[];
  passkeys: {
    rpId: string;
    credentialId: string;
    publicKey: string;
    signCount: number;
    transports: string[];
    backupEligible: boolean;
    backedUp: boolean;
    name: string;
    createdAt: string;
    lastUsedAt: string | null;
  }[];
  memberships: { orgId: string; role: OrgRole; suspended: boolean; joinedAt: string }[];
}

/** Reads all accounts and organizations as they were at one moment, some of them at a time. */
export class ExportsRepository {
  constructor(private readonly database: DataSource) {}

  /** Does some work with readings that all see the same moment. */
  inSnapshot(work: (reading: Reading) => Promise<void>): Promise<void> {
    return this.database.transaction('REPEATABLE READ', async (manager) => {
      // The reader of the file may pause: a role may have a limit for that.
      await manager.query(`SELECT set_config('idle_in_transaction_session_timeout', '0', true)`);
      await work(new Reading(manager));
    });
  }
}

/** The readings of one moment. */
export class Reading {
  constructor(private readonly tx: Pick<Transaction, 'query'>) {}

  orgs(): AsyncGenerator<ExportedOrg> {
    return this.inPages(ORGS);
  }

  users(): AsyncGenerator<ExportedUser> {
    return this.inPages(USERS);
  }

  private async *inPages<Row extends { id: string }>(select: string): AsyncGenerator<Row> {
    let after: string | null = null;
    do {
      const page: Row[] = await this.tx.query(select, [after, PAGE]);
      yield* page;
      after = page.length === PAGE ? (page.at(-1)?.id ?? null) : null;
    } while (after !== null);
  }
}

const ORGS = `
  SELECT o.id, o.external_id AS "externalId", o.name, o.locale, o.created_at AS "createdAt", ${POLICY} AS policy,
         o.policy_acting AS acting
    FROM organizations o WHERE $1::uuid IS NULL OR o.id > $1 ORDER BY o.id LIMIT $2`;

/** Rows of a table that belong to a user `u`, as JSON. */
const listOf = (fields: string, table: string, order: string) =>
  `(SELECT coalesce(json_agg(json_build_object(${fields}) ORDER BY ${order}), '[]') FROM ${table} WHERE user_id = u.id)`;

const base64url = (bytes: string) => `rtrim(translate(encode(${bytes}, 'base64'), E'+/\\n', '-_'), '=')`;

const USERS = `
  SELECT u.id, u.external_id AS "externalId", u.email, u.email_verified_at AS "emailVerifiedAt", u.name, u.locale,
         u.time_zone AS "timeZone", u.created_at AS "createdAt", u.disabled_at AS "disabledAt", u.own_role AS "ownRole",
         u.password_hash AS "passwordHash",
         (SELECT secret FROM totp_factors WHERE user_id = u.id AND confirmed_at IS NOT NULL) AS "totpSecret",
         ARRAY(SELECT code_hash FROM recovery_codes WHERE user_id = u.id ORDER BY code_hash) AS "recoveryCodes",
         ${listOf(`'issuer', provider, 'subject', subject, 'email', email`, 'identities', 'id')} AS identities,
         ${listOf(
           `'rpId', rp_id, 'credentialId', ${base64url('credential_id')}, 'publicKey', ${base64url('public_key')},
            'signCount', sign_count, 'transports', transports, 'backupEligible', backup_eligible, 'backedUp', backed_up,
            'name', name, 'createdAt', created_at, 'lastUsedAt', last_used_at`,
           'passkeys',
           'id',
         )} AS passkeys,
         ${listOf(
           `'orgId', org_id, 'role', role, 'suspended', suspended_at IS NOT NULL, 'joinedAt', joined_at`,
           'memberships',
           'org_id',
         )} AS memberships
    FROM users u WHERE $1::uuid IS NULL OR u.id > $1 ORDER BY u.id LIMIT $2`;
