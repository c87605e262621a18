import type { EntityManager } from 'typeorm';
import { isAtLeast, Role } from '../access/role.js';
import { LastOrgAdmin, LastSystemAdmin } from '../errors/errors.js';
import type { User } from '../users/user.entity.js';

// Asked in the transaction that takes a role, a membership or an account away, before it does. Who asks holds the
// organization until then, so that of two admins who go at once the second sees that the first is gone. The locks are
// taken in one order everywhere, or two would deadlock: the organization, the system admins, the user.

/**
 * Throws LastOrgAdmin when a user is the only one who administers an organization. Its only member may go where the
 * organization goes too. Whoever is not an admin may go at any time.
 */
export async function keepOrgAdmin(
  user: User,
  manager: EntityManager,
  { mayLeaveEmpty = false } = {},
): Promise<void> {
  const isAdmin = isAtLeast(user.role, Role.ORG_ADMIN) && user.disabledAt === null;
  if (user.orgId === null || !isAdmin) return;

  const [others] = await manager.query<{ members: number; admins: number }[]>(
    `SELECT count(*)::int AS members,
            count(*) FILTER (WHERE role IN ('org_admin', 'sys_admin') AND disabled_at IS NULL)::int AS admins
       FROM users WHERE org_id = $1 AND id <> $2`,
    [user.orgId, user.id],
  );
  const isDeserted = others?.members === 0 && mayLeaveEmpty;
  if (others?.admins === 0 && !isDeserted) throw new LastOrgAdmin();
}

/** Throws LastSystemAdmin when nobody but a user administers the service. */
export async function keepSystemAdmin(userId: string, manager: EntityManager): Promise<void> {
  const admins = await lockSystemAdmins(manager);
  if (admins.every(({ id }) => id === userId)) throw new LastSystemAdmin();
}

/** Holds the active system admins until the transaction ends. */
export function lockSystemAdmins(manager: EntityManager): Promise<{ id: string }[]> {
  return manager.query(
    `SELECT id FROM users WHERE role = 'sys_admin' AND disabled_at IS NULL ORDER BY id FOR UPDATE`,
  );
}
