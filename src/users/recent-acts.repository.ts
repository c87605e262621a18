import { Injectable } from '@nestjs/common';
import { UNDOABLE_HOURS } from '../accounts/users.repository.js';
import { lowestIdSince } from '../audit/audit-events.repository.js';
import type { Transaction } from '../audit/transactions.js';
import type { Grant, OrgAct } from '../mail/messages.js';

/** A grant, where it was made, and whether its user can be told. */
export interface FoundGrant extends Grant {
  orgId: string | null;
  isReachable: boolean;
}

/** More would fill the outbox: an intruder may have changed the role of every user. */
const MAX_GRANTS = 100;

/** More than a mail lists. */
const MAX_ORG_ACTS = 50;

/**
 * What was done in an account in the hours that its owner can undo. It is read from the events: a role that was taken
 * away shows nowhere else.
 */
@Injectable()
export class RecentActsRepository {
  /**
   * What a user last did to each other user in each organization: the role they gave, by changing it or by an invitation
   * that was accepted, or the removal. Those who lost the role of an admin come first, or an intruder could hide them
   * behind many others; then the newest.
   */
  findGrantsBy(userId: string, tx: Transaction): Promise<FoundGrant[]> {
    return tx.query(
      `SELECT email, role, org_id AS "orgId", is_reachable AS "isReachable" FROM (
         SELECT DISTINCT ON (user_id, email, org_id) *,
                coalesce(bool_or(former IN ('org_admin', 'sys_admin')) OVER (PARTITION BY user_id, email, org_id), false)
                  AS was_admin
           FROM (
             SELECT e.user_id, u.email, e.details->>'to' AS role, e.details->>'from' AS former, e.org_id,
                    u.id IS NOT NULL AND u.disabled_at IS NULL AS is_reachable, e.created_at AS at
               FROM audit_events e LEFT JOIN users u ON u.id = e.user_id
              WHERE e.actor_id = $1 AND e.user_id <> $1 AND e.type IN ('role.changed', 'member.removed') AND e.id >= $2
              UNION ALL
             SELECT u.id, i.email, i.role, NULL, i.org_id, u.id IS NOT NULL AND u.disabled_at IS NULL, i.accepted_at
               FROM invitations i LEFT JOIN users u ON u.email = i.email WHERE i.invited_by = $1
           ) AS acts
          WHERE at > now() - make_interval(hours => $3)
          ORDER BY user_id, email, org_id, at DESC
       ) AS grants
        ORDER BY was_admin DESC, role IS NULL DESC, at DESC
        LIMIT ${MAX_GRANTS}`,
      [userId, since(), UNDOABLE_HOURS],
    );
  }

  /**
   * The organizations that a user joined, left, founded, renamed or ended; a founder joins as well, which counts once.
   * Memberships come first, so that renaming often hides none; then the newest.
   */
  findOrgActsOf(userId: string, tx: Transaction): Promise<OrgAct[]> {
    return tx.query(
      `SELECT e.type, o.name AS "orgName", coalesce(e.actor_id = $1, false) AS "isOwn",
              (e.details->>'second_factor_required')::boolean AS "secondFactorRequired"
         FROM (SELECT * FROM audit_events
                WHERE actor_id = $1 AND type IN ('org.created', 'org.updated', 'org.deleted') AND id >= $2
                UNION ALL
               SELECT * FROM audit_events
                WHERE user_id = $1 AND type IN ('member.joined', 'member.removed') AND id >= $2) AS e
         LEFT JOIN organizations o ON o.id = e.org_id
        WHERE e.created_at > now() - make_interval(hours => $3)
          AND NOT (e.type = 'member.joined' AND EXISTS (
            SELECT FROM audit_events c WHERE c.user_id = $1 AND c.org_id = e.org_id AND c.type = 'org.created'))
        ORDER BY e.type = 'org.updated', e.id DESC
        LIMIT ${MAX_ORG_ACTS}`,
      [userId, since(), UNDOABLE_HOURS],
    );
  }
}

function since(): string {
  return lowestIdSince(new Date(Date.now() - UNDOABLE_HOURS * 3_600_000));
}
