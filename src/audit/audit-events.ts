import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuditEvent } from './audit-event.entity.js';
import type { AuditType } from './audit-types.js';

/** Which events a list is about: those of a user, those in an organization, or all. */
export interface AuditFilter {
  ofUser?: string;
  orgId?: string;
  /** Of those, only what a user did and what was done to their account. */
  concerning?: string | undefined;
  type?: AuditType | undefined;
  since?: Date | undefined;
}

/**
 * Whether an act came from above the reader, who is then not told where that person sits: of what was done to a user,
 * the acts of anyone else; in an organization, those of a SYSTEM_ADMIN.
 */
const IS_FROM_ABOVE = `
  (actor_id <> $1 OR $2::uuid IS NOT NULL AND EXISTS (SELECT FROM users WHERE id = actor_id AND role = 'sys_admin'))`;

@Injectable()
export class AuditEventsRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * A page of events, newest first, from below an id. A user's own are those they did, and those about their account.
   * It leaves out where acts from above came from.
   */
  find(
    { ofUser, orgId, concerning, type, since }: AuditFilter,
    before: string | null,
    limit: number,
  ): Promise<AuditEvent[]> {
    return this.database.query(
      `SELECT id, type, actor_id AS "actorId", user_id AS "userId", org_id AS "orgId",
              CASE WHEN ${IS_FROM_ABOVE} THEN NULL ELSE ip END AS ip,
              CASE WHEN ${IS_FROM_ABOVE} THEN NULL ELSE user_agent END AS "userAgent",
              details, created_at AS "createdAt"
         FROM audit_events
        WHERE ($1::uuid IS NULL OR actor_id = $1 OR user_id = $1) AND ($2::uuid IS NULL OR org_id = $2)
          AND ($3::text IS NULL OR type = $3) AND ($4::timestamptz IS NULL OR created_at >= $4)
          AND ($5::uuid IS NULL OR actor_id = $5 OR user_id = $5) AND ($6::uuid IS NULL OR id < $6)
        ORDER BY id DESC LIMIT $7`,
      [ofUser, orgId, type, since, concerning, before, limit],
    );
  }

  /** How many events that have their place in a chain are older than so many days. */
  async countLinkedBefore(days: number): Promise<number> {
    const [found] = await this.database.query(
      `SELECT count(*)::int AS events FROM audit_events
        WHERE chain_position IS NOT NULL AND created_at < now() - make_interval(days => $1)`,
      [days],
    );
    return found.events;
  }
}
