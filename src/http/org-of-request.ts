import type { IncomingHttpHeaders } from 'node:http';
import { isUUID } from 'class-validator';
import type { Caller, CallerMembership } from './caller.js';
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

/** The role of a user in one of their organizations, or outside of them. */
export function roleIn(membership: Pick<CallerMembership, 'role'> | null, ownRole: OwnRole): Role {
  return ownRole === Role.SYSTEM_ADMIN ? ownRole : (membership?.role ?? ownRole);
}

/** The organization of a request that names none: the only one of the user. One that suspended them does not count. */
export function onlyOf(
  memberships: readonly CallerMembership[],
): Pick<Caller, 'membership' | 'isOrgMissing'> {
  const active = memberships.filter(({ isSuspended }) => !isSuspended);
  return {
    membership: active.length === 1 ? (active[0] as CallerMembership) : null,
    isOrgMissing: active.length > 1,
  };
}

/** Whether a caller is in the organization of a request as its member. A SYSTEM_ADMIN needs no membership. */
export function isActiveMember({ membership }: Caller): boolean {
  return membership?.isSuspended === false;
}

/** The organization of a request of a SYSTEM_ADMIN who is no member of it: whether it exists is not known yet. Else null. */
export function foreignOrgOf({ user, membership }: Caller): string | null {
  return membership === null ? user.orgId : null;
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
  // Who acts for a user in an organization does not leave it.
  if (named === NONE && caller.session.acting?.orgId) return null;
  const orgId = named === NONE ? null : named;
  const membership = memberships.find(({ id }) => id === orgId) ?? null;
  const isForeign = orgId !== null && membership === null;
  if (isForeign && user.ownRole !== Role.SYSTEM_ADMIN) return null;
  const inside = { ...user, role: roleIn(membership, user.ownRole), orgId };
  return { ...caller, user: inside, membership, isOrgMissing: false };
}
