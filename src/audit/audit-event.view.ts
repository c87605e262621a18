import type { AuditEvent } from './audit-event.entity.js';

/** What a client sees of an audit event. */
export function auditEventView(event: AuditEvent) {
  return {
    id: event.id,
    type: event.type,
    actor_id: event.actorId,
    user_id: event.userId,
    org_id: event.orgId,
    ip: event.ip,
    user_agent: event.userAgent,
    details: event.details,
    created_at: event.createdAt,
  };
}
