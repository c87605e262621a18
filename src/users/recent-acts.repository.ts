import { Injectable } from '@nestjs/common';
import { UNDOABLE_HOURS } from '../accounts/users.repository.js';
import { lowestIdSince } from '../audit/audit-events.repository.js';
import type { Transaction } from '../audit/transactions.js';
import type { Grant, OrgAct } from '../mail/messages.js';
import type { Reader } from '../words/languages.js';

/** A grant, where it was made, and whether its user can be told. */
export interface FoundGrant extends Grant {
  orgId: string | null;
  isReachable: boolean;
  /** Its user, as a reader. */
  reader: Reader;
}

/** More of one organization would fill the outbox: an intruder may have changed the role of every user. */
const MAX_GRANTS = 100;

/** More than a mail lists. */
const MAX_ORG_ACTS = 50;

/**
 * What was done in an account in the hours that its owner can undo. It is read from the events: a role that was taken
 * away shows nowhere else.
 */
@Injectable()
export class RecentActsRepository {
  /** Whether an organization asked within a day to reset the factors of a user, who is locked. */
  async hasAskedForReset(userId: string, orgId: string, tx: Transaction): Promise<boolean> {
    const asked = await tx.query<unknown[]>(
      `SELECT 1 FROM audit_events
        WHERE type = 'factors.reset_requested' AND user_id = $1 AND org_id = $2 AND created_at > now() - interval '1 day' LIMIT 1`,
      [userId, orgId],
    );
    return asked.length > 0;
  }

  /**
   * What a user last did to each other user in each organization: the role they gave, by changing it or by an invitation
   * that was accepted, or the removal; and beside it the suspension that they neither ended nor followed by a removal. One that
   * they ended gave the role back. Those who lost the role of an admin come first, or an intruder could hide them behind many
   * others; then the newest. So many of each organization, or one could hide those of another.
   */
  findGrantsBy(userId: string, tx: Transaction): Promise<FoundGrant[]> {
    return tx.query(
      `SELECT email, role, is_suspended AS "isSuspended", org_id AS "orgId", is_reachable AS "isReachable",
              json_build_object('locale', locale, 'timeZone', time_zone,
                                'orgLocale', (SELECT o.locale FROM organizations o WHERE o.id = org_id)) AS reader
         FROM (
         SELECT *, row_number() OVER (PARTITION BY org_id ORDER BY was_admin DESC, role IS NULL DESC, at DESC) AS place
           FROM (
         SELECT DISTINCT ON (user_id, email, org_id, is_suspended) *
           FROM (
         SELECT *, coalesce(bool_or(former IN ('org_admin', 'sys_admin')) OVER same, false) AS was_admin,
                max(at) FILTER (WHERE ends_suspension) OVER same AS suspended_until
           FROM (
             SELECT e.user_id, u.email, coalesce(e.details->>'to', e.details->>'role') AS role, e.details->>'from' AS former,
                    e.type = 'member.suspended' AS is_suspended,
                    e.type IN ('member.resumed', 'member.removed') AS ends_suspension, e.org_id,
                    u.id IS NOT NULL AND u.disabled_at IS NULL AS is_reachable, e.created_at AS at,
                    u.locale, u.time_zone
               FROM audit_events e LEFT JOIN users u ON u.id = e.user_id
              WHERE e.actor_id = $1 AND e.user_id <> $1 AND e.id >= $2
                AND e.type IN ('role.changed', 'member.removed', 'member.suspended', 'member.resumed')
              UNION ALL
             SELECT u.id, i.email, i.role, NULL, false, false, i.org_id, u.id IS NOT NULL AND u.disabled_at IS NULL,
                    i.accepted_at, u.locale, u.time_zone
               FROM invitations i LEFT JOIN users u ON u.email = i.email WHERE i.invited_by = $1
           ) AS acts
          WHERE at > now() - make_interval(hours => $3)
         WINDOW same AS (PARTITION BY user_id, email, org_id)
         ) AS judged
          WHERE NOT is_suspended OR suspended_until IS NULL OR at > suspended_until
          ORDER BY user_id, email, org_id, is_suspended, at DESC
       ) AS grants) AS placed
        WHERE place <= ${MAX_GRANTS}
        ORDER BY was_admin DESC, role IS NULL DESC, at DESC`,
      [userId, since(), UNDOABLE_HOURS],
    );
  }

  /**
   * The organizations that a user joined, left, founded, changed or ended; a founder joins as well, which counts once. Of
   * each organization the last act of a kind, so that many acts in one hide none in another. Memberships come first; then
   * the newest.
   */
  findOrgActsOf(userId: string, tx: Transaction): Promise<OrgAct[]> {
    return tx.query(
      `SELECT e.type, o.name AS "orgName", coalesce(e.actor_id = $1, false) AS "isOwn",
              (e.details->>'second_factor')::boolean AS "secondFactorRequired"
         FROM (SELECT DISTINCT ON (org_id, type, details ? 'second_factor') *
         FROM (SELECT * FROM audit_events
                WHERE actor_id = $1 AND type IN ('org.created', 'org.policy_changed', 'org.updated', 'org.deleted') AND id >= $2
                UNION ALL
               SELECT * FROM audit_events
                WHERE user_id = $1 AND type IN ('member.joined', 'member.removed') AND id >= $2) AS acts
                ORDER BY org_id, type, details ? 'second_factor', id DESC) AS e
         LEFT JOIN organizations o ON o.id = e.org_id
        WHERE e.created_at > now() - make_interval(hours => $3)
          AND NOT (e.type = 'member.joined' AND EXISTS (
            SELECT FROM audit_events c WHERE c.user_id = $1 AND c.org_id = e.org_id AND c.type = 'org.created'))
        ORDER BY e.type IN ('org.policy_changed', 'org.updated'), e.id DESC
        LIMIT ${MAX_ORG_ACTS}`,
      [userId, since(), UNDOABLE_HOURS],
    );
  }
}

function since(): string {
  return lowestIdSince(new Date(Date.now() - UNDOABLE_HOURS * 3_600_000));
}
