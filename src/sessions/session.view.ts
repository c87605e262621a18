import type { Session } from './session.entity.js';

/** What a client sees of a session; never its token. */
export function sessionView(session: Session, currentId: string) {
  return {
    id: session.id,
    current: session.id === currentId,
    auth_method: session.authMethod,
    ip: session.ip,
    user_agent: session.userAgent,
    created_at: session.createdAt,
    last_seen_at: session.lastSeenAt,
    expires_at: session.expiresAt,
  };
}
