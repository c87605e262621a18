import { Injectable } from '@nestjs/common';
import type { Transaction } from '../audit/transactions.js';
import { isAtLeast, Role } from '../http/role.js';
import { AdminsRepository } from '../users/admins.repository.js';
import type { User } from '../users/user.entity.js';
import { OrgsRepository } from './orgs.repository.js';

/** The memberships that began so lately that an intruder in the account may have begun them. */
@Injectable()
export class RecentMembershipsService {
  constructor(
    private readonly orgs: OrgsRepository,
    private readonly admins: AdminsRepository,
  ) {}

  /**
   * Takes a user, who is locked together with their organization, out of it if they joined it lately: its admins would
   * read when and where the owner logs in. No organization loses its only member or its only admin: such a membership
   * stays. Returns whether the user was taken out.
   */
  async end(user: User, tx: Transaction): Promise<boolean> {
    const { id: userId, orgId, role } = user;
    if (orgId === null || !(await this.orgs.hasJoinedLately(userId, orgId, tx))) return false;
    if (await this.isIndispensable(user, orgId, tx)) return false;

    await this.orgs.removeMember(userId, tx);
    // The admins of the organization read this event, and one may be the intruder: it does not say where the owner sits.
    const details = { from: role };
    await tx.as({ ip: null, userAgent: null }).record('member.removed', { userId, orgId, details });
    return true;
  }

  private async isIndispensable({ id, role }: User, orgId: string, tx: Transaction): Promise<boolean> {
    const others = await this.admins.countOthers(orgId, id, tx);
    return others.members === 0 || (others.admins === 0 && isAtLeast(role, Role.ORG_ADMIN));
  }
}
