import type { Permissions } from '../access/permissions.js';
import type { CountedRole } from '../accounts/custom-roles.repository.js';
import { type OrgRole, Role } from '../http/role.js';
import {
  count,
  type Described,
  instant,
  list,
  named,
  nullable,
  oneOf,
  text,
  uuid,
} from '../validation/schema.js';

export const BUILT_IN_ROLES: readonly OrgRole[] = [Role.READONLY, Role.MEMBER, Role.ORG_ADMIN];

export const OrganizationRoleSchema = named('OrganizationRole', {
  /** Null for a built-in role. */
  id: nullable(uuid),
  name: text,
  /** The place in the order of the roles: what the least role of a route is compared with. */
  base: oneOf(BUILT_IN_ROLES),
  permissions: list(text),
  /** Given once, and worth nothing now. */
  unknown_permissions: list(text),
  member_count: count,
  /** Null for a built-in role, as `changed_at` is. */
  created_at: nullable(instant),
  changed_at: nullable(instant),
});

/** What the members of an organization see of a role that it composed. */
export function roleView(
  { id, name, base, permissions: given, memberCount, createdAt, changedAt }: CountedRole,
  permissions: Permissions,
): Described<typeof OrganizationRoleSchema> {
  return {
    id,
    name,
    base,
    permissions: [...permissions.heldBy({ role: base, given })],
    unknown_permissions: given.filter((each) => !permissions.isForRoles(each)),
    member_count: memberCount,
    created_at: createdAt,
    changed_at: changedAt,
  };
}

export function builtInRoleView(
  role: OrgRole,
  memberCount: number,
  permissions: Permissions,
): Described<typeof OrganizationRoleSchema> {
  return {
    id: null,
    name: role,
    base: role,
    permissions: [...permissions.heldBy({ role, given: null })],
    unknown_permissions: [],
    member_count: memberCount,
    created_at: null,
    changed_at: null,
  };
}
