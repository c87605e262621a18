import type { IncomingHttpHeaders } from 'node:http';
import { isUUID } from 'class-validator';
import type { Caller, CallerMembership, CallerUser } from './caller.js';
import { MembershipSuspended, ValidationFailed } from './errors.js';
import { type Requirement, unmetOf } from './org-policy.js';
import { fieldError } from './problem.js';
import { type OwnRole, Role } from './role.js';

/** The header by which a request names its organization. */
const ORG_HEADER = 'latchkey-org';

/** An id; `none` for a request of a person, in no organization; null for a request that names nothing. */
export type NamedOrg = string | null;

/** What a request of a person says. */
export const NONE = 'none';

/** What a request names in its header. Throws ValidationFailed for anything but one id or `none`. */
export function namedIn({ [ORG_HEADER]: header }: IncomingHttpHeaders): NamedOrg {
  if (header === undefined) return null;
  const named = String(header).toLowerCase();
  // Node joins a header that comes twice with a comma.
  if (named !== NONE && !isUUID(named))
    throw new ValidationFailed([fieldError('Latchkey-Org', { code: 'not_an_id' })]);
  return named;
}

/** The role and the organization of a user in one of their organizations, or outside of them. */
export function standingIn(ownRole: OwnRole, membership: Pick<CallerMembership, 'id' | 'role'> | null) {
  const role: Role = ownRole === Role.SYSTEM_ADMIN ? ownRole : (membership?.role ?? ownRole);
  return { role, orgId: membership?.id ?? null };
}

/** A user in a request that names no organization: in the only one, if there is one. One that suspended them does not count. */
export function unnamed(
  user: Omit<CallerUser, 'role' | 'orgId'>,
  memberships: readonly CallerMembership[],
): Pick<Caller, 'user' | 'membership' | 'isOrgMissing'> {
  const active = memberships.filter(({ isSuspended }) => !isSuspended);
  const membership = active.length === 1 ? (active[0] as CallerMembership) : null;
  return {
    user: { ...user, ...standingIn(user.ownRole, membership) },
    membership,
    isOrgMissing: active.length > 1,
  };
}

/** Whether a caller is in the organization of a request as its member. A SYSTEM_ADMIN needs no membership. */
export function isActiveMember({ membership }: Caller): boolean {
  return membership?.isSuspended === false;
}

/** Throws MembershipSuspended for a caller whom the organization of the request keeps out. */
export function assertActive({ user, membership }: Caller): void {
  if (membership?.isSuspended && user.ownRole !== Role.SYSTEM_ADMIN) throw new MembershipSuspended();
}

/** What the organization of a request asks of its session, and the session lacks. A SYSTEM_ADMIN is bound by none. */
export function unmetBy(caller: Caller): readonly Requirement[] {
  return unmetOf(caller.membership?.policy ?? null, caller);
}

/**
 * A caller, as the check of the session found them, in the organization that a request names. A SYSTEM_ADMIN may name every
 * id. Returns null for an organization that the caller does not belong to, and for one that does not exist: the row of the
 * session decides, so that both take as long. What a suspended member may do there, `assertActive` says.
 */
export function callerIn<Found extends Caller>(caller: Found, named: NamedOrg): Found | null {
  const { user, memberships } = caller;
  if (named === null || named === user.orgId) return caller;
  const membership = memberships.find(({ id }) => id === named) ?? null;
  const inside = { ...user, ...standingIn(user.ownRole, membership) };
  const isForeign = named !== NONE && membership === null;
  if (isForeign && user.ownRole !== Role.SYSTEM_ADMIN) return null;
  return {
    ...caller,
    user: isForeign ? { ...inside, orgId: named } : inside,
    membership,
    isOrgMissing: false,
  };
}
