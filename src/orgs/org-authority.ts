import { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import type { CallerUser } from '../http/caller.js';
import { InsufficientRole } from '../http/errors.js';
import { Role } from '../http/role.js';
import { assertLoggedIn } from '../sessions/assert-logged-in.js';

// The guards looked at the caller when the request came. Under the lock on the organization they are looked at once
// more: of two admins who remove each other at once, the second no longer is one; and the owner of an account may have
// ended the session of an intruder.

/** Throws InsufficientRole unless the caller administers an organization now, and Unauthenticated once logged out. */
export async function assertOrgAdmin(
  { id }: Pick<CallerUser, 'id'>,
  orgId: string,
  tx: Transaction,
): Promise<void> {
  const now = await tx.manager.findOneBy(User, { id });
  const isAdmin = now?.role === Role.SYSTEM_ADMIN || (now?.orgId === orgId && now.role === Role.ORG_ADMIN);
  if (!isAdmin || now.disabledAt !== null) throw new InsufficientRole();
  await assertLoggedIn(tx);
}
