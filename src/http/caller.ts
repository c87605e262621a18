import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Unauthenticated } from './errors.js';
import { addressOfNode } from './forwarded-node.js';
import type { Role } from './role.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; absent on public routes. */
    caller?: Caller;
    recheck?: Recheck;
  }
}

/** The user whose session a request carries, as the check of the session read them. */
export interface CallerUser {
  id: string;
  email: string;
  emailVerifiedAt: Date | null;
  name: string | null;
  role: Role;
  orgId: string | null;
  passwordChangedAt: Date | null;
  disabledAt: Date | null;
  createdAt: Date;
}

/** How a session was started. */
export const AUTH_METHODS = ['password', 'idp', 'passkey'] as const;

export type AuthMethod = (typeof AUTH_METHODS)[number];

/** The session that a request carries, as its check read it. */
export interface CallerSession {
  id: string;
  authMethod: AuthMethod;
  /** The authenticator assurance level, as NIST SP 800-63B counts it. */
  aal: 1 | 2;
  /** Where from, at the login. */
  ip: string | null;
  userAgent: string | null;
  createdAt: Date;
  /** When the user last proved who they are. Null for a session of an earlier version. */
  authenticatedAt: Date | null;
  /** At most a minute behind the last request. */
  lastSeenAt: Date;
  expiresAt: Date;
}

/** Who calls, and with which session. */
export interface Caller {
  user: CallerUser;
  session: CallerSession;
  /** Whether the user proved who they are within the last ten minutes. */
  isRecent: boolean;
}

/**
 * Throws Unauthenticated once the session has ended, or its user has another role or organization: an answer that takes a
 * while asks it on the way.
 */
export type Recheck = () => Promise<void>;

/** Who acts, and from where. */
export interface Actor {
  /** Null, as the session is, when the request has no session. */
  userId: string | null;
  sessionId: string | null;
  ip: string | null;
  userAgent: string | null;
}

/** The service itself, at work without a request. */
export const THE_SERVICE: Actor = { userId: null, sessionId: null, ip: null, userAgent: null };

const MAX_USER_AGENT_LENGTH = 512;

/** The user whose session the request carries. */
export const CurrentUser = createParamDecorator(
  (_: unknown, context: ExecutionContext): CallerUser => callerOf(requestOf(context)).user,
);

/** The user, the session, and whether their proof is recent. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(requestOf(context)),
);

/** The session the request carries. */
export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): CallerSession => callerOf(requestOf(context)).session,
);

/** What tells later on whether the caller is still who the guards found. */
export const Rechecked = createParamDecorator((_: unknown, context: ExecutionContext): Recheck => {
  const { recheck } = requestOf(context);
  if (!recheck) throw new Unauthenticated();
  return recheck;
});

/** Who acts, and from where, as the audit event of the act has it. */
export const By = createParamDecorator(
  (_: unknown, context: ExecutionContext): Actor => actorOf(requestOf(context)),
);

/** Who sent a request, and from where: the client of a peer that has hung up has no address. */
export function actorOf({ caller, ip, headers }: FastifyRequest): Actor {
  return {
    userId: caller?.user.id ?? null,
    sessionId: caller?.session.id ?? null,
    ip: addressOfNode(ip ?? ''),
    userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  };
}

/** The session that a request carries. Throws Unauthenticated when there is none. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Unauthenticated();
  return caller;
}

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}
