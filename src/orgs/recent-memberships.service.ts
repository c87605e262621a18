import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { isAtLeast, Role } from '../http/role.js';

/** The memberships that began so lately that an intruder in the account may have begun them. */
@Injectable()
export class RecentMembershipsService {
  constructor(
    private readonly orgs: OrgsRepository,
    private readonly admins: AdminsRepository,
  ) {}

  /**
   * Takes a user, who is locked together with their organization, out of it if they joined it lately: its admins would
   * read when and where the owner logs in. No organization is left without its first admin, its only member, or to admins
   * whom an intruder may have appointed: such a membership is kept. Returns null for a user without a recent membership.
   */
  async end(user: User, tx: Transaction): Promise<'ended' | 'kept' | null> {
    const { id: userId, orgId, role } = user;
    if (orgId === null || !(await this.orgs.hasJoinedLately(userId, orgId, tx))) return null;
    if (await this.isIndispensable(user, orgId, tx)) return 'kept';

    await this.orgs.removeMember(userId, tx);
    // The admins of the organization read this event, and one may be the intruder: it does not say where the owner sits.
    await tx
      .as({ ip: null, userAgent: null })
      .record('member.removed', { userId, orgId, details: { from: role } });
    return 'ended';
  }

  private async isIndispensable({ id, role }: User, orgId: string, tx: Transaction): Promise<boolean> {
    // Whatever role the founder has by now: an admin whom the intruder appointed may have lowered it.
    if (await this.orgs.isFirstAdmin(id, orgId, tx)) return true;
    const { members } = await this.admins.countOthers(orgId, id, tx);
    if (members === 0) return true;
    return isAtLeast(role, Role.ORG_ADMIN) && !(await this.admins.hasAdminNotMadeBy(id, orgId, tx));
  }
}
