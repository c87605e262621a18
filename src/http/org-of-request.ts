import type { IncomingHttpHeaders } from 'node:http';
import { isUUID } from 'class-validator';
import type { Caller, CallerMembership, OrgPolicy } from './caller.js';
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

/** The only organization of a user; null for a user of none, or of several. One that suspended them does not count. */
export function onlyOf(memberships: readonly CallerMembership[]): CallerMembership | null {
  const active = activeOf(memberships);
  return active.length === 1 ? (active[0] as CallerMembership) : null;
}

function activeOf(memberships: readonly CallerMembership[]): CallerMembership[] {
  return memberships.filter(({ isSuspended }) => !isSuspended);
}

/** Whether a caller is in the organization of a request as its member. A SYSTEM_ADMIN needs no membership. */
export function isActiveMember({ user, memberships }: Caller): boolean {
  return activeOf(memberships).some(({ id }) => id === user.orgId);
}

/** Throws MembershipSuspended for a caller whom the organization of the request keeps out. */
export function assertActive(caller: Caller): void {
  const { user, memberships } = caller;
  const isSuspended = memberships.some((each) => each.id === user.orgId && each.isSuspended);
  if (isSuspended && user.ownRole !== Role.SYSTEM_ADMIN) throw new MembershipSuspended();
}

/** What the organization of a request asks of its session, and the session lacks. */
export function unmetBy(caller: Caller): readonly Requirement[] {
  return unmetOf(policyOf(caller), caller);
}

/** What the organization of a request asks of the sessions that enter it. A SYSTEM_ADMIN is bound by none. */
export function policyOf({ user, memberships }: Caller): OrgPolicy | null {
  return memberships.find(({ id }) => id === user.orgId)?.policy ?? null;
}

/**
 * A caller in the organization that a request names, or in their only one. A SYSTEM_ADMIN may name every id. Returns null
 * for an organization that the caller does not belong to, and for one that does not exist: the row of the session decides,
 * so that both take as long. What a suspended member may do there, `assertActive` says.
 */
export function callerIn(caller: Caller, named: NamedOrg): Caller | null {
  const { user, memberships } = caller;
  const inside = (membership: Pick<CallerMembership, 'id' | 'role'> | null): Caller => ({
    ...caller,
    user: { ...user, ...standingIn(user.ownRole, membership) },
    isOrgMissing: false,
  });
  if (named === null)
    return { ...inside(onlyOf(memberships)), isOrgMissing: activeOf(memberships).length > 1 };
  if (named === NONE) return inside(null);

  const membership = memberships.find(({ id }) => id === named);
  if (membership) return inside(membership);
  return user.ownRole === Role.SYSTEM_ADMIN ? inside({ id: named, role: Role.ORG_ADMIN }) : null;
}
