import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import type { OrgRole, OwnRole } from '../http/role.js';
import { isHeldSql } from './held-addresses.repository.js';
import { Org } from './org.entity.js';
import type { WholePolicy } from './orgs.repository.js';

/** What an operator knows an account or an organization by. */
export interface Keys {
  id: string | null;
  externalId: string | null;
}

/** A membership that comes with its user. */
export interface ImportedMembership {
  orgId: string;
  role: OrgRole;
  isSuspended: boolean;
  joinedAt: Date | null;
}

/** An account at a provider that comes with its user. */
interface ImportedIdentity {
  issuer: string;
  subject: string;
  email: string | null;
}

/** A passkey that comes with its user. */
interface ImportedPasskey {
  rpId: string;
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: number;
  transports: string[];
  isBackupEligible: boolean;
  isBackedUp: boolean;
  name: string;
  createdAt: Date | null;
  lastUsedAt: Date | null;
}

/** An account with all that it has from the beginning. Instants of null are now. */
export interface ImportedUser {
  id: string;
  externalId: string | null;
  email: string;
  isVerified: boolean;
  name: string | null;
  locale: string | null;
  timeZone: string | null;
  createdAt: Date | null;
  isDisabled: boolean;
  ownRole: OwnRole;
  passwordHash: string | null;
  /** Encrypted, as it is stored. */
  totpSecret: Buffer | null;
  /** SHA-256 of each code. */
  recoveryCodes: Buffer[];
  identities: ImportedIdentity[];
  passkeys: ImportedPasskey[];
  memberships: ImportedMembership[];
}

/** An organization with what it asks of its members; null for nothing. */
export interface ImportedOrg {
  id: string;
  externalId: string | null;
  name: string;
  locale: string | null;
  createdAt: Date | null;
  policy: WholePolicy | null;
}

/** An account that is there, by all that a line may name it by. */
export type KnownUser = Keys & { id: string; email: string };

/** An organization that is there. */
export type KnownOrg = Keys & { id: string; name: string };

/**
 * Puts users into the database with all that they have: some hundreds in a statement, each as whole as a signup, invitations
 * and settings would have made it.
 */
export class ImportsRepository {
  /** The accounts that have one of some keys, or of some addresses. */
  findUsers(keys: Keys[], emails: string[], tx: Transaction): Promise<KnownUser[]> {
    return tx.query(
      `SELECT id, external_id AS "externalId", email FROM users WHERE id = ANY ($1)
       UNION SELECT id, external_id, email FROM users WHERE external_id = ANY ($2)
       UNION SELECT id, external_id, email FROM users WHERE email = ANY ($3)`,
      [...valuesOf(keys), emails],
    );
  }

  /**
   * The organizations that have one of some keys. They stay until the transaction ends, and are locked in the order of
   * every transaction: organizations first, by their ids.
   */
  lockOrgs(keys: Keys[], tx: Transaction): Promise<KnownOrg[]> {
    return tx.query(
      `SELECT id, external_id AS "externalId", name FROM organizations
        WHERE id = ANY ($1) OR external_id = ANY ($2) ORDER BY id FOR KEY SHARE`,
      valuesOf(keys),
    );
  }

  async insertOrgs(orgs: ImportedOrg[], tx: Transaction): Promise<void> {
    await tx.manager.insert(
      Org,
      orgs.map(({ id, externalId, name, locale, createdAt, policy }) => ({
        id,
        externalId,
        name,
        locale,
        createdAt: createdAt ?? (() => 'now()'),
        secondFactorRequiredAt: policy?.secondFactor ? () => 'now()' : null,
        policyIdleMinutes: policy?.idleMinutes ?? null,
        policyAgeMinutes: policy?.ageMinutes ?? null,
        policyLoginMethods: policy?.loginMethods ?? null,
        policyNetworks: policy?.networks ?? null,
        policyActing: policy?.acting ?? true,
      })),
    );
  }

  /**
   * Inserts users, all or none. What they have counts as old as the account: nothing of it seems added lately, as an
   * intruder would.
   */
  async insertUsers(users: ImportedUser[], tx: Transaction): Promise<void> {
    await tx.query(INSERT_USERS, [JSON.stringify(users.map(rowOf))]);
  }

  /**
   * Those of some new users whose address is held for another account. By a statement of its own, after the insert: that
   * waits for a change of address under way, and sees nothing of it.
   */
  async findHeld(ids: string[], tx: Transaction): Promise<string[]> {
    const held = await tx.query<{ id: string }[]>(
      `SELECT id FROM users WHERE id = ANY ($1) AND ${isHeldSql('users.email')}`,
      [ids],
    );
    return held.map(({ id }) => id);
  }
}

function valuesOf(keys: Keys[]): [ids: string[], externalIds: string[]] {
  return [
    keys.map(({ id }) => id).filter((id) => id !== null),
    keys.map(({ externalId }) => externalId).filter((externalId) => externalId !== null),
  ];
}

/** A user as the statement reads them. */
function rowOf(user: ImportedUser) {
  return {
    ...user,
    totpSecret: user.totpSecret?.toString('base64') ?? null,
    recoveryCodes: user.recoveryCodes.map((hash) => hash.toString('base64')),
    identities: user.identities.map((identity) => ({ ...identity, id: uuidv7() })),
    passkeys: user.passkeys.map((passkey) => ({
      ...passkey,
      id: uuidv7(),
      credentialId: passkey.credentialId.toString('base64'),
      publicKey: passkey.publicKey.toString('base64'),
    })),
  };
}

const INSERT_USERS = `
  WITH given AS MATERIALIZED (
    SELECT *, coalesce("createdAt", now()) AS made_at
      FROM jsonb_to_recordset($1::jsonb) AS g (
        id uuid, "externalId" text, email text, "isVerified" boolean, name text, locale text, "timeZone" text,
        "createdAt" timestamptz, "isDisabled" boolean, "ownRole" text, "passwordHash" text, "totpSecret" text,
        "recoveryCodes" jsonb, identities jsonb, passkeys jsonb, memberships jsonb)
  ), made AS (
    INSERT INTO users (id, external_id, email, email_verified_at, name, locale, time_zone, own_role, password_hash,
                       password_changed_at, disabled_at, created_at)
    SELECT id, "externalId", email, CASE WHEN "isVerified" THEN now() END, name, locale, "timeZone", "ownRole",
           "passwordHash", CASE WHEN "passwordHash" IS NOT NULL THEN made_at END,
           CASE WHEN "isDisabled" THEN now() END, made_at
      FROM given
  ), joined AS (
    INSERT INTO memberships (user_id, org_id, role, joined_at, joined_by, suspended_at)
    SELECT g.id, m."orgId", m.role, coalesce(m."joinedAt", now()), 'import', CASE WHEN m."isSuspended" THEN now() END
      FROM given g, jsonb_to_recordset(g.memberships)
             AS m ("orgId" uuid, role text, "joinedAt" timestamptz, "isSuspended" boolean)
  ), linked AS (
    INSERT INTO identities (id, user_id, provider, subject, email, created_at)
    SELECT i.id, g.id, i.issuer, i.subject, i.email, g.made_at
      FROM given g, jsonb_to_recordset(g.identities) AS i (id uuid, issuer text, subject text, email text)
  ), secured AS (
    INSERT INTO totp_factors (user_id, secret, created_at, confirmed_at)
    SELECT id, decode("totpSecret", 'base64'), made_at, made_at FROM given WHERE "totpSecret" IS NOT NULL
  ), kept AS (
    INSERT INTO recovery_codes (user_id, code_hash, created_at)
    SELECT g.id, decode(c.hash, 'base64'), g.made_at FROM given g, jsonb_array_elements_text(g."recoveryCodes") AS c (hash)
  )
  INSERT INTO passkeys (id, user_id, rp_id, credential_id, public_key, sign_count, transports, backup_eligible, backed_up,
                        name, created_at, last_used_at)
  SELECT p.id, g.id, p."rpId", decode(p."credentialId", 'base64'), decode(p."publicKey", 'base64'), p."signCount",
         p.transports, p."isBackupEligible", p."isBackedUp", p.name, coalesce(p."createdAt", g.made_at), p."lastUsedAt"
    FROM given g, jsonb_to_recordset(g.passkeys) AS p (
           id uuid, "rpId" text, "credentialId" text, "publicKey" text, "signCount" bigint, transports text[],
           "isBackupEligible" boolean, "isBackedUp" boolean, name text, "createdAt" timestamptz, "lastUsedAt" timestamptz)`;
