import { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { InsufficientRole } from '../http/errors.js';
import { Role } from '../http/role.js';
import { assertLoggedIn } from '../sessions/assert-logged-in.js';

/**
 * Throws InsufficientRole unless the caller administers the service now, and Unauthenticated once logged out. The guards
 * looked at the caller when the request came; it may have waited for locks since. Called under those locks.
 */
export async function assertSystemAdmin(tx: Transaction): Promise<void> {
  const { userId: id } = tx.by;
  const caller = id === null ? null : await tx.manager.findOneBy(User, { id });
  if (caller?.role !== Role.SYSTEM_ADMIN || caller.disabledAt !== null) throw new InsufficientRole();
  await assertLoggedIn(tx);
}
