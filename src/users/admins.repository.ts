import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { Transaction } from '../audit/transactions.js';
import { Role } from '../http/role.js';
import type { User } from './user.entity.js';

/** What was found of an account that was made a SYSTEM_ADMIN. */
export interface MadeAdmin extends Pick<User, 'id' | 'orgId'> {
  /** Null when the account was made for it. */
  formerRole: Role | null;
  hasPassword: boolean;
  isDisabled: boolean;
}

/** Who administers the service, or an organization. */
@Injectable()
export class AdminsRepository {
  /**
   * Holds the active system admins until the transaction ends. One who never set a password, and whom the identity
   * provider does not know, cannot log in.
   */
  lockSystemAdmins(tx: Transaction): Promise<{ id: string; canLogIn: boolean }[]> {
    // By its table: the identities belong to the auth module, which builds on this one.
    return tx.query(
      `SELECT id, password_hash IS NOT NULL
                  OR EXISTS (SELECT FROM identities i WHERE i.user_id = users.id) AS "canLogIn"
         FROM users WHERE role = 'sys_admin' AND disabled_at IS NULL ORDER BY id FOR UPDATE`,
    );
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
   * Gives the account of an address the highest role, and makes the account if there is none. A password set
   * while the address was not verified is dropped: it may be somebody else's.
   */
  async makeSystemAdmin(email: string, tx: Transaction): Promise<MadeAdmin> {
    // The subquery sees the role as it was before the statement.
    const [made] = await tx.query<[MadeAdmin]>(
      `INSERT INTO users (id, email, role) VALUES ($1, $2, $3)
       ON CONFLICT (email) DO UPDATE SET
         role = excluded.role,
         password_hash = CASE WHEN users.email_verified_at IS NOT NULL THEN users.password_hash END,
         password_changed_at = CASE WHEN users.email_verified_at IS NOT NULL THEN users.password_changed_at END
       RETURNING id, org_id AS "orgId", (SELECT role FROM users WHERE email = $2) AS "formerRole",
                 password_hash IS NOT NULL AS "hasPassword", disabled_at IS NOT NULL AS "isDisabled"`,
      [uuidv7(), email, Role.SYSTEM_ADMIN],
    );
    return made;
  }
}
