import {
  anything,
  count,
  type Described,
  day,
  instant,
  named,
  nullable,
  oneOf,
  text,
  uuid,
} from '../validation/schema.js';
import type { AuditEvent } from './audit-event.entity.js';
import { AUDIT_TYPES, FORMER_AUDIT_TYPES } from './audit-types.js';

const EVENT_FIELDS = {
  id: uuid,
  type: oneOf([...AUDIT_TYPES, ...FORMER_AUDIT_TYPES]),
  actor_id: nullable(uuid),
  user_id: nullable(uuid),
  org_id: nullable(uuid),
  ip: nullable(text),
  user_agent: nullable(text),
  details: anything,
  created_at: instant,
};

export const AuditEventSchema = named('AuditEvent', EVENT_FIELDS);

export const AuditDaySchema = named('AuditDay', { day, events: count });

/** The columns of a file of events. */
export const EVENT_COLUMNS = Object.keys(EVENT_FIELDS);

/** What a client sees of an audit event. */
export function auditEventView(
  event: Omit<AuditEvent, 'chainPosition' | 'chainHash' | 'chainSeal'>,
): Described<typeof AuditEventSchema> {
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
