import { AUTH_METHODS, type CallerSession } from '../http/caller.js';
import { type Described, flag, instant, named, nullable, oneOf, text, uuid } from '../validation/schema.js';

export const SessionSchema = named('Session', {
  id: uuid,
  current: flag,
  auth_method: oneOf(AUTH_METHODS),
  aal: oneOf([1, 2] as const),
  ip: nullable(text),
  user_agent: nullable(text),
  created_at: instant,
  authenticated_at: nullable(instant),
  last_seen_at: instant,
  expires_at: instant,
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
  };
}
