import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import { type Member, MembershipsRepository } from '../accounts/memberships.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { LastOrgAdmin, LastSystemAdmin } from '../http/errors.js';
import { isAtLeast, Role } from '../http/role.js';

/** Whether an organization may end with its only member. */
interface Leaving {
  mayLeaveEmpty?: boolean;
}

/** Whether a user administers an organization: as its ORG_ADMIN, or as a member who is a SYSTEM_ADMIN. */
export function administers(ownRole: Role, roleThere: Role): boolean {
  return ownRole === Role.SYSTEM_ADMIN || roleThere === Role.ORG_ADMIN;
}

/**
 * Keeps the last admin from going. Called in the transaction that takes a role, a membership or an account away,
 * before it does. The caller has locked the organization, so that of two admins who go at once the second sees that
 * the first is gone. The locks are taken in one order everywhere, or two would deadlock: the organization, the system
 * admins, the user.
 */
@Injectable()
export class LastAdmins {
  constructor(
    private readonly admins: AdminsRepository,
    private readonly memberships: MembershipsRepository,
  ) {}

  /**
   * Throws LastOrgAdmin when a member is the only one who administers the organization. Its only member may go where the
   * organization goes too. A member who is not an admin, or is suspended, may go at any time.
   */
  async assertAnotherOrgAdmin(member: Member, tx: Transaction, options: Leaving = {}): Promise<void> {
    if (member.orgId !== null && member.suspendedAt === null && isAtLeast(member.role, Role.ORG_ADMIN))
      await this.assertOtherAdmins(member, [member.orgId], tx, options);
  }

  /** Asserts that for each of some organizations that a user administers. One who is disabled may go at any time. */
  async assertOtherAdmins(
    { id, orgId: only, disabledAt }: User,
    orgIds: string[],
    tx: Transaction,
    { mayLeaveEmpty = false }: Leaving = {},
  ): Promise<void> {
    if (disabledAt !== null) return;
    const left: string[] = [];
    for (const orgId of orgIds) {
      const others = await this.memberships.countOthers(orgId, id, tx);
      const isDeserted = others.members === 0 && mayLeaveEmpty;
      if (others.admins === 0 && !isDeserted) left.push(orgId);
    }
    if (left.length > 0) throw new LastOrgAdmin(only === null ? left : undefined);
  }

  /** Throws LastSystemAdmin when a user administers the service, and no other system admin can log in. */
  async assertAnotherSystemAdmin(userId: string, tx: Transaction): Promise<void> {
    const admins = await this.admins.lockSystemAdmins(tx);
    const isAdmin = admins.some(({ id }) => id === userId);
    if (isAdmin && !admins.some(({ id, canLogIn }) => id !== userId && canLogIn)) throw new LastSystemAdmin();
  }
}
