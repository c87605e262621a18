import type { Caller } from '../http/caller.js';
import { Role } from '../http/role.js';

/** What somebody's permissions follow from. */
export interface Rights {
  /** The role, which is the base of a custom one. */
  role: Role;
  /** What the custom role was given; null for a built-in role. */
  given: readonly string[] | null;
}

/**
 * The rights of a caller in the organization of the request. No custom role binds a SYSTEM_ADMIN. The check of the session has
 * to have read the role: what it did not read must not pass for the built-in one.
 */
export function rightsOf({ user: { role }, membership }: Pick<Caller, 'user' | 'membership'>): Rights {
  if (role === Role.SYSTEM_ADMIN || membership === null) return { role, given: null };
  const { customRole } = membership;
  if (customRole === undefined) throw new Error('The check of this session did not read the custom role.');
  return { role, given: customRole?.permissions ?? null };
}
