import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { Role } from '../http/role.js';
import type { Reader } from '../words/languages.js';
import { hasFactorSql } from './factors.repository.js';
import { isHeldSql } from './held-addresses.repository.js';
import type { Org } from './org.entity.js';
import { PasskeysRepository } from './passkeys.repository.js';
import type { User } from './user.entity.js';
import { JOIN_ORG, READER_COLUMNS, ROLE, USERS_IN_ORGS } from './users.repository.js';

/** What was found of an account that was made a SYSTEM_ADMIN. */
export interface MadeAdmin extends Pick<User, 'id' | 'orgId' | 'locale' | 'timeZone'> {
  /** Null when the account was made for it. */
  formerRole: Role | null;
  hasPassword: boolean;
  isDisabled: boolean;
}

/** The admins of the service and of its organizations. */
@Injectable()
export class AdminsRepository {
  constructor(
    private readonly database: DataSource,
    private readonly passkeys: PasskeysRepository,
  ) {}

  /**
   * Locks the active system admins until the transaction ends. One who never set a password, whom the identity provider
   * does not know, and who has no passkey cannot log in.
   */
  lockSystemAdmins(tx: Transaction): Promise<{ id: string; canLogIn: boolean }[]> {
    // By its table: the identities belong to `auth/`, which builds on this folder.
    return tx.query(
      `SELECT id, password_hash IS NOT NULL
                  OR EXISTS (SELECT FROM identities i WHERE i.user_id = users.id)
                  OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = users.id AND p.rp_id = $1) AS "canLogIn"
         FROM users WHERE own_role = 'sys_admin' AND disabled_at IS NULL ORDER BY id FOR UPDATE`,
      [this.passkeys.rpId],
    );
  }

  /** How many active system admins there are, and how many of them have no second factor. */
  async countSystemAdmins(): Promise<{ total: number; without_factor: number }> {
    const [counts] = await this.database.query(
      `SELECT count(*)::int AS total,
              count(*) FILTER (WHERE NOT ${hasFactorSql('users', '$1')})::int AS without_factor
         FROM users WHERE own_role = 'sys_admin' AND disabled_at IS NULL`,
      [this.passkeys.rpId],
    );
    return counts;
  }

  /**
   * Gives the account of an address the highest role, and makes the account if there is none. A password set
   * while the address was not verified is dropped: a stranger may have set it. A language of null leaves theirs.
   */
  async makeSystemAdmin(email: string, locale: string | null, tx: Transaction): Promise<MadeAdmin> {
    // The subqueries see the user as they were before the statement.
    const [made] = await tx.query<[MadeAdmin]>(
      `INSERT INTO users (id, email, own_role, locale) VALUES ($1, $2, $3, $4)
       ON CONFLICT (email) DO UPDATE SET
         own_role = excluded.own_role,
         locale = coalesce(excluded.locale, users.locale),
         password_hash = CASE WHEN users.email_verified_at IS NOT NULL THEN users.password_hash END,
         password_changed_at = CASE WHEN users.email_verified_at IS NOT NULL THEN users.password_changed_at END
       RETURNING id, (SELECT m.org_id FROM ${USERS_IN_ORGS} WHERE u.email = $2) AS "orgId", locale, time_zone AS "timeZone",
                 (SELECT ${ROLE} FROM ${USERS_IN_ORGS} WHERE u.email = $2) AS "formerRole",
                 password_hash IS NOT NULL AS "hasPassword", disabled_at IS NOT NULL AS "isDisabled"`,
      [uuidv7(), email, Role.SYSTEM_ADMIN, locale],
    );
    return made;
  }

  /** Whether an address, whose account was just made, is held for another account that had it until lately. */
  async isHeld(email: string, tx: Transaction): Promise<boolean> {
    const [{ isHeld }] = await tx.query(`SELECT ${isHeldSql('$1')} AS "isHeld"`, [email]);
    return isHeld;
  }

  /** Whether an address may become the first system admin, or became it and has no password yet. */
  async isFirst(email: string, tx: Transaction): Promise<boolean> {
    const obstacles = await tx.query<unknown[]>(
      `SELECT 1 FROM users
        WHERE (own_role = 'sys_admin' AND (email <> $1 OR password_hash IS NOT NULL))
           OR (email = $1 AND disabled_at IS NOT NULL)
        UNION ALL SELECT 1 WHERE ${isHeldSql('$1')}
        LIMIT 1`,
      [email],
    );
    return obstacles.length === 0;
  }

  /** The admins of the service or of an organization, as readers, without the one of an id. */
  findPeers(
    { id, orgId }: { id: string | null; orgId: string | null },
    role: Role,
    tx: Transaction,
  ): Promise<(Reader & { email: string })[]> {
    const isOfService = role === Role.SYSTEM_ADMIN;
    const peers = isOfService
      ? `users u ${JOIN_ORG} WHERE u.own_role = 'sys_admin'`
      : `memberships m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.org_id
          WHERE m.org_id = $2 AND m.role = 'org_admin' AND m.suspended_at IS NULL AND u.own_role <> 'sys_admin'`;
    return tx.query(
      `SELECT u.email, ${READER_COLUMNS} FROM ${peers} AND u.id IS DISTINCT FROM $1::uuid AND u.disabled_at IS NULL ORDER BY u.email`,
      isOfService ? [id] : [id, orgId],
    );
  }

  async findOrg(orgId: string, tx: Transaction): Promise<Pick<Org, 'name' | 'locale'>> {
    const [org] = await tx.query<[Pick<Org, 'name' | 'locale'>]>(
      'SELECT name, locale FROM organizations WHERE id = $1',
      [orgId],
    );
    return org;
  }
}
