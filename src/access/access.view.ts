import type { DeclaredPermission } from '../config/declared-permission.js';
import type { Caller } from '../http/caller.js';
import { Role } from '../http/role.js';
import { NamedRoleSchema, namedRoleView } from '../users/named-role.view.js';
import {
  type Described,
  flag,
  list,
  named,
  nullable,
  oneOf,
  orNull,
  text,
  uuid,
} from '../validation/schema.js';

export const AccessSchema = named('Access', {
  principal: oneOf(['user']),
  org_id: nullable(uuid),
  /** That of a custom role is its base. */
  role: oneOf(Object.values(Role)),
  custom_role: orNull(NamedRoleSchema),
  permissions: list(text),
  subscribed: flag,
});

export const PermissionSchema = named('Permission', {
  name: text,
  title: text,
  /** The least role that has it; `operator` for SYSTEM_ADMINs alone. */
  from: oneOf(['readonly', 'member', 'org_admin', 'operator'] as const),
  keys: flag,
});

/** What a user may do in the organization of a request. */
export function accessView(
  { user: { orgId, role }, membership }: Pick<Caller, 'user' | 'membership'>,
  permissions: ReadonlySet<string>,
  isSubscribed: boolean,
): Described<typeof AccessSchema> {
  const customRole = (role !== Role.SYSTEM_ADMIN && membership?.customRole) || null;
  return {
    principal: 'user',
    org_id: orgId,
    role,
    custom_role: customRole && namedRoleView(customRole),
    permissions: [...permissions],
    subscribed: isSubscribed,
  };
}

export function permissionView({
  name,
  title,
  from,
  keys,
}: DeclaredPermission): Described<typeof PermissionSchema> {
  return { name, title, from, keys };
}
