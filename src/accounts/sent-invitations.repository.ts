import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';
import { UNDOABLE_HOURS } from './users.repository.js';

// By their table: the invitations belong to the orgs module, which builds on this one.

/** Whether a user sent an invitation within so many hours, or ever one that makes an admin, and it can be taken up. */
const IS_RECENT = `
  invited_by = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()
  AND (role = 'org_admin' OR created_at > now() - make_interval(hours => $2))`;

/** The pending invitations that an intruder in an account may have sent: the recent ones, and all that make an admin. */
@Injectable()
export class SentInvitationsRepository {
  /**
   * Locks the organization of a user, and those of these invitations, in the order of their ids, until the transaction
   * ends. Returns their ids.
   */
  async lockOrganizations(userId: string, tx: Transaction): Promise<string[]> {
    const locked = await tx.query<{ id: string }[]>(
      `SELECT id FROM organizations
        WHERE id = ANY (ARRAY(
                SELECT org_id FROM memberships WHERE user_id = $1
                 UNION ALL
                SELECT org_id FROM invitations WHERE ${IS_RECENT}))
        ORDER BY id FOR UPDATE`,
      [userId, UNDOABLE_HOURS],
    );
    return locked.map(({ id }) => id);
  }

  /** Takes back those that are still pending. */
  async revoke(userId: string, tx: Transaction): Promise<void> {
    const [revoked] = await tx.query<[{ id: string; orgId: string }[], number]>(
      `UPDATE invitations SET revoked_at = now() WHERE ${IS_RECENT} RETURNING id, org_id AS "orgId"`,
      [userId, UNDOABLE_HOURS],
    );
    for (const { id, orgId } of revoked)
      await tx.record('invitation.revoked', { orgId, details: { invitation_id: id } });
  }
}
