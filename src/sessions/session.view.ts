import { type Acting, type CallerSession, SESSION_METHODS } from '../http/caller.js';
import {
  type Described,
  flag,
  instant,
  named,
  nullable,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from '../validation/schema.js';

export const SessionSchema = named('Session', {
  id: uuid,
  current: flag,
  auth_method: oneOf(SESSION_METHODS),
  aal: oneOf([1, 2] as const),
  ip: nullable(text),
  user_agent: nullable(text),
  created_at: instant,
  authenticated_at: nullable(instant),
  last_seen_at: instant,
  expires_at: instant,
  /** The SYSTEM_ADMIN who acts for the user, in which organization, and whether to do more than look. */
  acting: orNull(object({ actor_id: uuid, org_id: nullable(uuid), write: flag })),
});

/** What a client sees of a session; never its token. */
export function sessionView(session: CallerSession, currentId: string): Described<typeof SessionSchema> {
  return {
    id: session.id,
    current: session.id === currentId,
    auth_method: session.authMethod,
    aal: session.aal,
    ip: session.ip,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    authenticated_at: session.authenticatedAt?.toISOString() ?? null,
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    acting: session.acting ? actingView(session.acting) : null,
  };
}

function actingView({ actorId, orgId, mayWrite }: Acting) {
  return { actor_id: actorId, org_id: orgId, write: mayWrite };
}
