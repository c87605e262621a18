import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { CallerUser } from '../http/caller.js';
import { InsufficientRole } from '../http/errors.js';
import { type Page, pageOf } from '../http/page.js';
import { isAtLeast, Role } from '../http/role.js';
import type { ListAuditEvents } from './audit.dto.js';
import type { AuditEvent } from './audit-event.entity.js';

/** Which events a list is about: those of a user, those in an organization, or all. */
interface Scope {
  ofUser?: string;
  orgId?: string;
}

/**
 * Whether an act came from above the reader, to whom the list then does not show where that person sits: of what was
 * done to a user, the acts of all others; in an organization, those of a SYSTEM_ADMIN.
 */
const IS_FROM_ABOVE = `
  (actor_id <> $1 OR $2::uuid IS NOT NULL AND EXISTS (SELECT FROM users WHERE id = actor_id AND role = 'sys_admin'))`;

/** What has been recorded, as far as the reader may see it. */
@Injectable()
export class AuditEvents {
  constructor(private readonly database: DataSource) {}

  /** A page of events, newest first. It leaves out where acts from above came from. Throws InsufficientRole. */
  async list(reader: CallerUser, query: ListAuditEvents): Promise<Page<AuditEvent>> {
    const scope = scopeOf(reader, query);
    return pageOf(query, (before, limit) => this.find(scope, query, before, limit));
  }

  /** Events from below an id. A user's own are those they did, and those about their account. */
  private find(
    { ofUser, orgId }: Scope,
    { user_id: concerning, type, since }: ListAuditEvents,
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
}

/** Throws InsufficientRole. */
function scopeOf(reader: CallerUser, { scope }: ListAuditEvents): Scope {
  if (scope === 'me') return { ofUser: reader.id };
  if (scope === 'all' && reader.role === Role.SYSTEM_ADMIN) return {};
  if (scope === 'org' && reader.orgId !== null && isAtLeast(reader.role, Role.ORG_ADMIN))
    return { orgId: reader.orgId };
  throw new InsufficientRole();
}
