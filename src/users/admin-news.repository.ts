import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';
import type { Role } from '../http/role.js';
import type { Grant } from '../mail/messages.js';
import type { User } from './user.entity.js';
import { UNDOABLE_HOURS } from './users.repository.js';

/** What admins are told of each other. */
@Injectable()
export class AdminNewsRepository {
  /** The addresses of those who administer the same as a user with a role does, but for that user. */
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

  /**
   * The roles that a user gave others lately, by changing them or by an invitation that was accepted, and whom they
   * took out of an organization; those in one organization, if one is named. Newest first.
   */
  findGrantsBy(userId: string, orgId: string | null, tx: Transaction): Promise<Grant[]> {
    return tx.query(
      `SELECT email, role FROM (
         SELECT u.email, e.details->>'to' AS role, e.created_at AS at, e.org_id
           FROM audit_events e LEFT JOIN users u ON u.id = e.user_id
          WHERE e.actor_id = $1 AND e.user_id <> $1 AND e.type IN ('role.changed', 'member.removed')
          UNION ALL
         SELECT email, role, accepted_at, org_id FROM invitations WHERE invited_by = $1
       ) AS grants
        WHERE at > now() - make_interval(hours => $3) AND ($2::uuid IS NULL OR org_id = $2)
        ORDER BY at DESC`,
      [userId, orgId, UNDOABLE_HOURS],
    );
  }
}
