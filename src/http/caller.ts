import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { rangesOf } from '../words/lookup.js';
import { OrgRequired, Unauthenticated } from './errors.js';
import { addressOfNode } from './forwarded-node.js';
import type { OrgRole, OwnRole, Role } from './role.js';
import { rulesOf } from './route-rules.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; absent on public routes. */
    caller?: Caller;
    /** The organization that the request is for, once that is found; absent on personal routes. */
    orgId?: string | null;
    recheck?: Recheck;
    /** The key that a program calls with; absent where a user calls. */
    key?: CallerKey;
  }
}

/** The user whose session a request carries, as the check of the session read them. */
export interface CallerUser {
  id: string;
  email: string;
  emailVerifiedAt: Date | null;
  name: string | null;
  locale: string | null;
  timeZone: string | null;
  /** Under which id another system knows the user. */
  externalId: string | null;
  /** The role outside of organizations. */
  ownRole: OwnRole;
  role: Role;
  orgId: string | null;
  passwordChangedAt: Date | null;
  disabledAt: Date | null;
  createdAt: Date;
}

/** How users log in. */
export const AUTH_METHODS = ['password', 'idp', 'passkey', 'email_code'] as const;

export type AuthMethod = (typeof AUTH_METHODS)[number];

/** The same, and how a session began in which a SYSTEM_ADMIN acts for the user. */
export const SESSION_METHODS = [...AUTH_METHODS, 'acting'] as const;

export type SessionMethod = (typeof SESSION_METHODS)[number];

/** Who acts for the user of a session, and within which bounds. */
export interface Acting {
  /** The SYSTEM_ADMIN. */
  actorId: string;
  /** The one organization that requests may be for; null for none. */
  orgId: string | null;
  /** Whether requests may do more than read. */
  mayWrite: boolean;
}

/** The key that a request presents, as its check read it. It is nobody's: it has no user, no role and no session. */
export interface CallerKey {
  id: string;
  name: string;
  /** The organization that it belongs to; null for a key of the operator. */
  ownOrgId: string | null;
  /** What it was given, as far as that is still declared, and for keys. */
  permissions: readonly string[];
}

/** Who calls: a user, or a program. */
export type Principal =
  | { kind: 'user'; user: CallerUser; session: CallerSession }
  | { kind: 'key'; key: CallerKey };

/** The session that a request carries, as its check read it. */
export interface CallerSession {
  id: string;
  authMethod: SessionMethod;
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
  /** Who acts for the user; absent where they do so themselves. */
  acting?: Acting | undefined;
}

/** How the user of a session has proved who they are. */
export interface SessionProof {
  /** In which ways, at the login and since. */
  ways: readonly string[];
  /** How long ago the last time was; null for a session of an earlier version. */
  ageSeconds: number | null;
  /** The longest pause since then, up to a minute more than it was. */
  idleSeconds: number;
}

/** What an organization asks of the sessions that enter it; null for what it does not ask for. */
export interface OrgPolicy {
  secondFactor: boolean;
  /** How long the session may have paused since its last proof. */
  idleMinutes: number | null;
  /** How long ago the last proof may have been: the login, or a step-up. */
  ageMinutes: number | null;
  /** The ways to log in of which one must have proven the session. */
  loginMethods: AuthMethod[] | null;
  /** The networks, as CIDR blocks, from one of which the request must come. */
  networks: string[] | null;
}

/** A role that an organization composed, and what it was given. */
interface CallerRole {
  id: string;
  name: string;
  /** As they are stored; only those that are declared count. */
  permissions: readonly string[];
}

/** An organization that the caller belongs to, and the role there. */
export interface CallerMembership {
  id: string;
  name: string;
  /** That of a custom role is its base. */
  role: OrgRole;
  /** Null for a built-in role; undefined where the check of the session did not ask. */
  customRole?: CallerRole | null | undefined;
  /** Whether an admin keeps the user out of it. */
  isSuspended: boolean;
  /** What the organization asks of the session; null for nothing. */
  policy: OrgPolicy | null;
  /** Whether the organization has a subscription; undefined where the check of the session did not ask. */
  isSubscribed?: boolean | undefined;
}

/** The organization that a request is for, and the role of the caller there. */
export interface CallerOrg {
  id: string;
  role: Role;
}

/** Who calls, and with which session. */
export interface Caller {
  /** The role and the organization are those of the request. */
  user: CallerUser;
  session: CallerSession;
  proof: SessionProof;
  /** By their names. */
  memberships: readonly CallerMembership[];
  /** That in the organization of the request; null where the user is no member of it. */
  membership: CallerMembership | null;
  /** Whether the user has a subscription of their own; undefined where the check of the session did not ask. */
  isUserSubscribed?: boolean | undefined;
  /** Whether the caller belongs to several organizations, and the request names none. */
  isOrgMissing: boolean;
  /** Whether the user proved who they are within the last ten minutes. */
  isRecent: boolean;
  /** Where the request comes from; null where that is not known. */
  ip: string | null;
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
  /** The SYSTEM_ADMIN who acts for the user; absent where they do so themselves. */
  adminId?: string | undefined;
  ip: string | null;
  userAgent: string | null;
  /** The languages that the request asks for, as ranges, the most wanted first. */
  languages: readonly string[];
}

/** The service itself, at work without a request. */
export const THE_SERVICE: Actor = { userId: null, sessionId: null, ip: null, userAgent: null, languages: [] };

const MAX_USER_AGENT_LENGTH = 512;

/** The user whose session the request carries. */
export const CurrentUser = createParamDecorator(
  (_: unknown, context: ExecutionContext): CallerUser => callerOf(requestOf(context)).user,
);

/** The organization that the request is for; null where it is for none, as on each route of the person. */
export const CurrentOrg = createParamDecorator((_: unknown, context: ExecutionContext) =>
  rulesOf(context).isPersonal ? null : orgOf(callerOf(requestOf(context))),
);

/** The id of that organization, on a route that keys open too. */
export const CurrentOrgId = createParamDecorator((_: unknown, context: ExecutionContext): string | null => {
  const request = requestOf(context);
  if (request.key) return request.orgId ?? null;
  return rulesOf(context).isPersonal ? null : (orgOf(callerOf(request))?.id ?? null);
});

/** Who calls a route that keys open too. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const request = requestOf(context);
  if (request.key) return { kind: 'key', key: request.key };
  const { user, session } = callerOf(request);
  return { kind: 'user', user, session };
});

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

/** Who sent a request, and from where. */
export function actorOf({ caller, ip, headers }: FastifyRequest): Actor {
  return {
    userId: caller?.user.id ?? null,
    sessionId: caller?.session.id ?? null,
    adminId: caller?.session.acting?.actorId,
    ip: addressOf(ip),
    userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    languages: rangesOf(headers['accept-language']),
  };
}

/** Whom the limits count the requests of a caller for: an admin who acts uses up nothing of the user's. */
export function countedAs({ user, session }: Pick<Caller, 'user' | 'session'>): string {
  return session.acting?.actorId ?? user.id;
}

/** The address of the client of a request; null for one that has hung up. */
export function addressOf(ip: string | undefined): string | null {
  return addressOfNode(ip ?? '');
}

/** The organization that a request is for. Throws OrgRequired where it has to name one. */
function orgOf({ user, isOrgMissing }: Caller): CallerOrg | null {
  if (isOrgMissing) throw new OrgRequired();
  return user.orgId === null ? null : { id: user.orgId, role: user.role };
}

/** The session that a request carries. Throws Unauthenticated when there is none. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Unauthenticated();
  return caller;
}

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}
