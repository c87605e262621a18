import type { User } from '../accounts/user.entity.js';
import { Role } from '../http/role.js';
import {
  address,
  type Described,
  flag,
  instant,
  named,
  nullable,
  oneOf,
  text,
  uuid,
} from '../validation/schema.js';

const USER_FIELDS = {
  id: uuid,
  email: address,
  name: nullable(text),
  role: oneOf(Object.values(Role)),
  email_verified: flag,
  org_id: nullable(uuid),
  has_password: flag,
  created_at: instant,
};

export const UserSchema = named('User', USER_FIELDS);

export const MemberSchema = named('Member', { ...USER_FIELDS, has_factor: flag });

const MANAGED_FIELDS = { ...USER_FIELDS, has_factor: flag, disabled: flag };

export const ManagedUserSchema = named('ManagedUser', MANAGED_FIELDS);

export const AdministeredUserSchema = named('AdministeredUser', {
  ...MANAGED_FIELDS,
  last_login_at: nullable(instant),
  org_name: nullable(text),
});

/** The columns of a file of users, and of one of members. */
export const USER_COLUMNS = [...Object.keys(MANAGED_FIELDS), 'last_login_at', 'org_name'];
export const MEMBER_COLUMNS = [...Object.keys(USER_FIELDS), 'has_factor'];

/** A user, and whether they have a second factor. */
export type UserWithFactor = User & { hasFactor: boolean };

/**
 * A user as only a SYSTEM_ADMIN sees them: when they last logged in, null for never, and what their organization is
 * called.
 */
export type AdministeredUser = UserWithFactor & { lastLoginAt: Date | null; orgName: string | null };

/** What a client sees of a user. */
export function userView(user: User): Described<typeof UserSchema> {
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
export function memberView(user: UserWithFactor): Described<typeof MemberSchema> {
  return { ...userView(user), has_factor: user.hasFactor };
}

/** What a back end of the product is told of a user. */
export function managedUserView(user: UserWithFactor): Described<typeof ManagedUserSchema> {
  return { ...memberView(user), disabled: user.disabledAt !== null };
}

/** What a SYSTEM_ADMIN sees of a user. */
export function administeredUserView(user: AdministeredUser): Described<typeof AdministeredUserSchema> {
  return { ...managedUserView(user), last_login_at: user.lastLoginAt, org_name: user.orgName };
}
