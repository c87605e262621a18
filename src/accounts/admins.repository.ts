import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { Role } from '../http/role.js';
import { hasFactorSql } from './factors.repository.js';
import { isHeldSql } from './held-addresses.repository.js';
import { PasskeysRepository } from './passkeys.repository.js';
import type { User } from './user.entity.js';
import { UNDOABLE_HOURS } from './users.repository.js';

/** What was found of an account that was made a SYSTEM_ADMIN. */
export interface MadeAdmin extends Pick<User, 'id' | 'orgId'> {
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
         FROM users WHERE role = 'sys_admin' AND disabled_at IS NULL ORDER BY id FOR UPDATE`,
      [this.passkeys.rpId],
    );
  }

  /** How many active system admins there are, and how many of them have no second factor. */
  async countSystemAdmins(): Promise<{ total: number; without_factor: number }> {
    const [counts] = await this.database.query(
      `SELECT count(*)::int AS total,
              count(*) FILTER (WHERE NOT ${hasFactorSql('users', '$1')})::int AS without_factor
         FROM users WHERE role = 'sys_admin' AND disabled_at IS NULL`,
      [this.passkeys.rpId],
    );
    return counts;
  }

  /** How many belong to an organization beside a user, and how many of them administer it. */
  async countOthers(
    orgId: string,
    userId: string,
    tx: Transaction,
  ): Promise<{ members: number; admins: number }> {
    const [others] = await tx.query<[{ members: number; admins: number }]>(
      `SELECT count(*)::int AS members,
              count(*) FILTER (WHERE role IN ('org_admin', 'sys_admin') AND disabled_at IS NULL)::int AS admins
         FROM users WHERE org_id = $1 AND id <> $2`,
      [orgId, userId],
    );
    return others;
  }

  /**
   * Whether an organization has another active admin than a user, beside those whom the user lately appointed, or invited
   * as admins: an intruder may have made them.
   */
  async hasAdminNotMadeBy(userId: string, orgId: string, tx: Transaction): Promise<boolean> {
    // The transaction that accepts an invitation records the join: by its time, since the address may have changed.
    const admins = await tx.query<unknown[]>(
      `SELECT 1 FROM users u
        WHERE u.org_id = $2 AND u.id <> $1 AND u.role IN ('org_admin', 'sys_admin') AND u.disabled_at IS NULL
          AND NOT EXISTS (
            SELECT FROM audit_events e
             WHERE e.actor_id = $1 AND e.user_id = u.id AND e.org_id = $2 AND e.type = 'role.changed'
               AND e.details->>'to' = 'org_admin' AND e.created_at > now() - make_interval(hours => $3))
          AND NOT EXISTS (
            SELECT FROM invitations i
              JOIN audit_events e ON e.org_id = i.org_id AND e.type = 'member.joined' AND e.created_at = i.accepted_at
             WHERE i.invited_by = $1 AND i.org_id = $2 AND i.role = 'org_admin' AND e.user_id = u.id
               AND i.accepted_at > now() - make_interval(hours => $3))
        LIMIT 1`,
      [userId, orgId, UNDOABLE_HOURS],
    );
    return admins.length > 0;
  }

  /**
   * Gives the account of an address the highest role, and makes the account if there is none. A password set
   * while the address was not verified is dropped: a stranger may have set it.
   */
  async makeSystemAdmin(email: string, tx: Transaction): Promise<MadeAdmin> {
    // The subquery sees the role as it was before the statement.
    const [made] = await tx.query<[MadeAdmin]>(
      `INSERT INTO users (id, email, role) VALUES ($1, $2, $3)
       ON CONFLICT (email) DO UPDATE SET
         role = excluded.role,
         own_role = excluded.own_role,
         password_hash = CASE WHEN users.email_verified_at IS NOT NULL THEN users.password_hash END,
         password_changed_at = CASE WHEN users.email_verified_at IS NOT NULL THEN users.password_changed_at END
       RETURNING id, org_id AS "orgId", (SELECT role FROM users WHERE email = $2) AS "formerRole",
                 password_hash IS NOT NULL AS "hasPassword", disabled_at IS NOT NULL AS "isDisabled"`,
      [uuidv7(), email, Role.SYSTEM_ADMIN],
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
        WHERE (role = 'sys_admin' AND (email <> $1 OR password_hash IS NOT NULL))
           OR (email = $1 AND disabled_at IS NOT NULL)
        UNION ALL SELECT 1 WHERE ${isHeldSql('$1')}
        LIMIT 1`,
      [email],
    );
    return obstacles.length === 0;
  }

  /** The addresses of the other admins of a rank: of the service, or of the organization of a user. */
  async findPeers({ id, orgId }: Pick<User, 'id' | 'orgId'>, role: Role, tx: Transaction): Promise<string[]> {
    const peers = await tx.query<{ email: string }[]>(
      `SELECT email FROM users
        WHERE role = $2 AND id <> $1 AND disabled_at IS NULL AND ($2 = 'sys_admin' OR org_id = $3)
        ORDER BY email`,
      [id, role, orgId],
    );
    return peers.map(({ email }) => email);
  }

  async findOrgName(orgId: string, tx: Transaction): Promise<string> {
    const [org] = await tx.query<[{ name: string }]>('SELECT name FROM organizations WHERE id = $1', [orgId]);
    return org.name;
  }
}
