import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { LastOrgAdmin, LastSystemAdmin } from '../http/errors.js';
import { isAtLeast, Role } from '../http/role.js';

/**
 * Keeps the last admin from going. Called in the transaction that takes a role, a membership or an account away,
 * before it does. The caller has locked the organization, so that of two admins who go at once the second sees that
 * the first is gone. The locks are taken in one order everywhere, or two would deadlock: the organization, the system
 * admins, the user.
 */
@Injectable()
export class LastAdmins {
  constructor(private readonly admins: AdminsRepository) {}

  /**
   * Throws LastOrgAdmin when a user is the only one who administers an organization. Its only member may go where the
   * organization goes too. A user who is not an admin may go at any time.
   */
  async assertAnotherOrgAdmin(user: User, tx: Transaction, { mayLeaveEmpty = false } = {}): Promise<void> {
    const isAdmin = isAtLeast(user.role, Role.ORG_ADMIN) && user.disabledAt === null;
    if (user.orgId === null || !isAdmin) return;

    const others = await this.admins.countOthers(user.orgId, user.id, tx);
    const isDeserted = others.members === 0 && mayLeaveEmpty;
    if (others.admins === 0 && !isDeserted) throw new LastOrgAdmin();
  }

  /** Throws LastSystemAdmin when a user administers the service, and no other system admin can log in. */
  async assertAnotherSystemAdmin(userId: string, tx: Transaction): Promise<void> {
    const admins = await this.admins.lockSystemAdmins(tx);
    const isAdmin = admins.some(({ id }) => id === userId);
    if (isAdmin && !admins.some(({ id, canLogIn }) => id !== userId && canLogIn)) throw new LastSystemAdmin();
  }
}
