import {
  address,
  anything,
  count,
  type Described,
  day,
  instant,
  named,
  nullable,
  object,
  oneOf,
  text,
  uuid,
} from '../validation/schema.js';
import type { AuditEvent } from './audit-event.entity.js';
import type { NamedEvent } from './audit-events.repository.js';
import { AUDIT_TYPES, FORMER_AUDIT_TYPES } from './audit-types.js';

const RECORD_FIELDS = {
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

const RecordSchema = object(RECORD_FIELDS);

const EVENT_FIELDS = {
  ...RECORD_FIELDS,
  /** What those are called whom the ids name, as far as the reader may know them. */
  actor_email: nullable(address),
  user_email: nullable(address),
  org_name: nullable(text),
};

export const AuditEventSchema = named('AuditEvent', EVENT_FIELDS);

export const AuditDaySchema = named('AuditDay', { day, events: count });

/** The columns of a file of events. */
export const EVENT_COLUMNS = Object.keys(EVENT_FIELDS);

/** What a client sees of an audit event. */
export function auditEventView(event: NamedEvent): Described<typeof AuditEventSchema> {
  return {
    ...recordView(event),
    actor_email: event.actorEmail,
    user_email: event.userEmail,
    org_name: event.orgName,
  };
}

/** What was recorded, which names people and organizations by their ids alone. */
export function recordView(
  event: Omit<AuditEvent, 'chainId' | 'chainPosition' | 'chainHash' | 'chainSeal'>,
): Described<typeof RecordSchema> {
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
