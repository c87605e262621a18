import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';

/** A request of a member into an organization. */
export interface Entry {
  sessionId: string;
  userId: string;
  orgId: string;
  ip: string | null;
  userAgent: string | null;
}

/** When members enter their organizations, and with which sessions. */
@Injectable()
export class OrgEntriesRepository {
  /**
   * Notes when members entered, at most once a minute over all replicas. A membership that is locked is left for the next
   * time, so that this never waits.
   */
  async touch(entries: Entry[], tx: Transaction): Promise<void> {
    await tx.query(
      `UPDATE memberships m SET entered_at = now()
         FROM (SELECT user_id, org_id FROM memberships
                WHERE (user_id, org_id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))
                  AND coalesce(entered_at < now() - interval '1 minute', true)
                ORDER BY user_id, org_id FOR UPDATE SKIP LOCKED) e
        WHERE m.user_id = e.user_id AND m.org_id = e.org_id`,
      [entries.map(({ userId }) => userId), entries.map(({ orgId }) => orgId)],
    );
  }

  /** Notes which sessions entered, perhaps just before their membership ended. Returns the first entries of a session. */
  async insertFirst(entries: Entry[], tx: Transaction): Promise<Entry[]> {
    const inserted = await tx.query<Pick<Entry, 'sessionId' | 'orgId'>[]>(
      `INSERT INTO org_entries (session_id, org_id, expires_at)
       SELECT s.id, e.org_id, s.expires_at
         FROM unnest($1::uuid[], $2::uuid[]) AS e (session_id, org_id) JOIN sessions s ON s.id = e.session_id
        ORDER BY s.id, e.org_id
       ON CONFLICT DO NOTHING RETURNING session_id AS "sessionId", org_id AS "orgId"`,
      [entries.map(({ sessionId }) => sessionId), entries.map(({ orgId }) => orgId)],
    );
    const first = new Set(inserted.map(({ sessionId, orgId }) => `${sessionId} ${orgId}`));
    return entries.filter(({ sessionId, orgId }) => first.has(`${sessionId} ${orgId}`));
  }
}
