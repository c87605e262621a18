import type { CallerSession, CallerUser } from '../http/caller.js';

/** What a back end learns of the caller. */
export interface Identity {
  user: CallerUser;
  session: CallerSession;
  /** Null where the rule does not ask for it. */
  subscribed: boolean | null;
  /** A signed token with the same content; null where the rule does not ask for it. */
  assertion: string | null;
}

/**
 * The headers that name the caller to a back end behind a proxy. Each is always there, and empty where there is nothing:
 * a proxy that copies them thereby overwrites those that the client sent.
 */
export function identityHeaders({ user, session, subscribed, assertion }: Identity): Record<string, string> {
  return {
    'latchkey-user-id': user.id,
    'latchkey-email': inAscii(user.email),
    'latchkey-role': user.role,
    'latchkey-org-id': user.orgId ?? '',
    'latchkey-session-id': session.id,
    'latchkey-aal': String(session.aal),
    'latchkey-subscribed': subscribed === null ? '' : String(subscribed),
    'latchkey-assertion': assertion ?? '',
  };
}

/** Percent-encoded where it is not ASCII. So is the percent sign, or two addresses could have one form. */
function inAscii(address: string): string {
  return address.replace(/[^!-$&-~]/gu, encodeURIComponent);
}
