import type { Member, MembershipOfUser } from '../accounts/memberships.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { CallerMembership } from '../http/caller.js';
import { type Judged, REQUIREMENTS, unmetOf } from '../http/org-policy.js';
import { Role } from '../http/role.js';
import {
  address,
  type Described,
  flag,
  instant,
  list,
  named,
  nullable,
  oneOf,
  orNull,
  text,
  uuid,
} from '../validation/schema.js';

import { NamedRoleSchema, namedRoleView } from './named-role.view.js';

/** What members see of one another. The time zone is not among it: it says where somebody is. */
const SHARED_FIELDS = {
  id: uuid,
  email: address,
  name: nullable(text),
  role: oneOf(Object.values(Role)),
  email_verified: flag,
  org_id: nullable(uuid),
  has_password: flag,
  created_at: instant,
};

const USER_FIELDS = { ...SHARED_FIELDS, locale: nullable(text), time_zone: nullable(text) };

export const UserSchema = named('User', USER_FIELDS);

const MEMBER_FIELDS = {
  ...SHARED_FIELDS,
  /** In place of the built-in role, which is then its base. */
  custom_role: orNull(NamedRoleSchema),
  has_factor: flag,
  joined_at: instant,
  suspended: flag,
  /** The last request into the organization, at most a minute behind; null for never. */
  entered_at: nullable(instant),
};

export const MemberSchema = named('Member', MEMBER_FIELDS);

/** The roles that an organization can give. */
const ORG_ROLES = oneOf([Role.READONLY, Role.MEMBER, Role.ORG_ADMIN]);

const FACTS = { ...USER_FIELDS, has_factor: flag, disabled: flag, external_id: nullable(text) };

const MANAGED_FIELDS = {
  ...FACTS,
  /** All of them, by their ids. `org_id` and `role` are of the only one that is not suspended; else null, and the own role. */
  organizations: list(named('MembershipOfUser', { id: uuid, role: ORG_ROLES, suspended: flag })),
};

export const ManagedUserSchema = named('ManagedUser', MANAGED_FIELDS);

export const AdministeredUserSchema = named('AdministeredUser', {
  ...MANAGED_FIELDS,
  last_login_at: nullable(instant),
  org_name: nullable(text),
});

/** The organizations of a user, by their names. */
export const OrganizationsSchema = list(
  named('OrganizationOfUser', {
    id: uuid,
    name: text,
    role: oneOf(Object.values(Role)),
    suspended: flag,
    unmet: list(oneOf(REQUIREMENTS)),
  }),
);

/** The columns of a file of users, and of one of members. */
export const USER_COLUMNS = [...Object.keys(FACTS), 'last_login_at', 'org_name'];
export const MEMBER_COLUMNS = Object.keys(MEMBER_FIELDS);

/** A user, and whether they have a second factor. */
export type WithFactor<Marked extends User> = Marked & { hasFactor: boolean };

/** A user, whether they have a second factor, and all that they belong to. */
type ManagedUser = WithFactor<User> & { memberships: MembershipOfUser[] };

/**
 * A user as only a SYSTEM_ADMIN sees them: when they last logged in, null for never, and what their organization is
 * called.
 */
export type AdministeredUser = ManagedUser & { lastLoginAt: Date | null; orgName: string | null };

/** What a user sees of the organizations they belong to. */
export function organizationsView(
  memberships: readonly CallerMembership[],
  judged: Judged,
): Described<typeof OrganizationsSchema> {
  return memberships.map(({ id, name, role, isSuspended, policy }) => ({
    id,
    name,
    role,
    suspended: isSuspended,
    unmet: [...unmetOf(policy, judged)],
  }));
}

/** What a user sees of their own account. */
export function userView(user: User): Described<typeof UserSchema> {
  return { ...sharedView(user), locale: user.locale, time_zone: user.timeZone };
}

function sharedView(user: User) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    email_verified: user.emailVerifiedAt !== null,
    org_id: user.orgId,
    has_password: user.passwordChangedAt !== null,
    created_at: user.createdAt.toISOString(),
  };
}

/** What members see of one another. */
export function memberView(member: WithFactor<Member>): Described<typeof MemberSchema> {
  const { hasFactor, joinedAt, enteredAt, suspendedAt, customRole } = member;
  return {
    ...sharedView(member),
    custom_role: customRole && namedRoleView(customRole),
    has_factor: hasFactor,
    joined_at: joinedAt.toISOString(),
    suspended: suspendedAt !== null,
    entered_at: enteredAt?.toISOString() ?? null,
  };
}

/** What a back end of the product is told of a user. */
export function managedUserView(user: ManagedUser): Described<typeof ManagedUserSchema> {
  return {
    ...userView(user),
    has_factor: user.hasFactor,
    disabled: user.disabledAt !== null,
    external_id: user.externalId,
    organizations: user.memberships.map(({ orgId, role, suspendedAt }) => ({
      id: orgId,
      role,
      suspended: suspendedAt !== null,
    })),
  };
}

/** What a SYSTEM_ADMIN sees of a user. */
export function administeredUserView(user: AdministeredUser): Described<typeof AdministeredUserSchema> {
  return { ...managedUserView(user), last_login_at: user.lastLoginAt, org_name: user.orgName };
}
