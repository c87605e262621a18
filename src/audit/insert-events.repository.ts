import type { EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import type { Actor } from '../http/caller.js';
import type { AuditType } from './acts.js';

/** The chain of what belongs to no organization. */
const NO_ORG = '00000000-0000-0000-0000-000000000000';

/** What an act is about. */
export interface About {
  /** The user whose account it concerns. */
  userId?: string | null;
  orgId?: string | null;
  /** Ids, roles, reasons; never a secret, and no text that a person typed where they might type a password. */
  details?: Record<string, string | number | boolean | null>;
}

const INSERT_EVENTS = `
  INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, ip, user_agent, details)
  SELECT event.id, $3, $4, event.user_id, $5, $6, $7, $8, $9
    FROM unnest($1::uuid[], $2::uuid[]) AS event (id, user_id)`;

/** The workers wake when the transaction commits. */
const INSERT_EVENTS_AND_DELIVERIES = `
  WITH event AS (${INSERT_EVENTS}
  ), delivery AS (
    INSERT INTO webhook_deliveries (id, event_id, endpoint)
    SELECT * FROM unnest($10::uuid[], $11::uuid[], $12::text[])
  )
  SELECT pg_notify('webhook_deliveries', '')`;

/**
 * Writes an event for each of some users (null: for an act that concerns none), and a delivery of it for each endpoint,
 * in one statement.
 */
export async function insertEvents(
  manager: EntityManager,
  type: AuditType,
  endpoints: string[],
  { userId: actorId, ip, userAgent }: Actor,
  userIds: (string | null)[],
  { orgId = null, details = {} }: Omit<About, 'userId'>,
): Promise<void> {
  const ids = userIds.map(() => uuidv7());
  const event = [ids, userIds, type, actorId, orgId, orgId ?? NO_ORG, ip, userAgent, details];
  if (endpoints.length === 0) return manager.query(INSERT_EVENTS, event);

  const deliveries = ids.flatMap((eventId) => endpoints.map((endpoint) => ({ eventId, endpoint })));
  await manager.query(INSERT_EVENTS_AND_DELIVERIES, [
    ...event,
    deliveries.map(() => uuidv7()),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ endpoint }) => endpoint),
  ]);
}
