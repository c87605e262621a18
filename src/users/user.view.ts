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
import type { User } from './user.entity.js';

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

export const ManagedUserSchema = named('ManagedUser', { ...USER_FIELDS, disabled: flag });

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

/** What a SYSTEM_ADMIN sees of a user. */
export function managedUserView(user: User): Described<typeof ManagedUserSchema> {
  return { ...userView(user), disabled: user.disabledAt !== null };
}
