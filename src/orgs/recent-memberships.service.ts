import { Injectable } from '@nestjs/common';
import { type MembershipOfUser, MembershipsRepository } from '../accounts/memberships.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { administers } from '../users/last-admins.js';

/** What became of a membership. */
type Outcome = 'ended' | 'kept';

/** The memberships that began so lately that an intruder in the account may have begun them. */
@Injectable()
export class RecentMembershipsService {
  constructor(private readonly memberships: MembershipsRepository) {}

  /**
   * Takes a user, who is locked together with their organizations, out of each that they joined lately: its admins would
   * read when and where the owner logs in. No organization is left without its first admin, its only member, or to admins
   * whom an intruder may have appointed: such a membership is kept. Returns what became of the recent ones, each outcome
   * once.
   */
  async end(user: User, memberships: MembershipOfUser[], tx: Transaction): Promise<Outcome[]> {
    const outcomes = new Set<Outcome>();
    for (const membership of memberships)
      if (await this.memberships.hasJoinedLately(user.id, membership.orgId, tx))
        outcomes.add(await this.endOne(user, membership, tx));
    return [...outcomes];
  }

  private async endOne(user: User, membership: MembershipOfUser, tx: Transaction): Promise<Outcome> {
    const { orgId, role: from } = membership;
    if (await this.isIndispensable(user, membership, tx)) return 'kept';

    await this.memberships.remove(orgId, user.id, tx);
    // The admins of the organization read this event, and one may be the intruder: it does not say where the owner sits.
    await tx
      .as({ ip: null, userAgent: null })
      .record('member.removed', { userId: user.id, orgId, details: { from } });
    return 'ended';
  }

  private async isIndispensable(
    { id, ownRole }: User,
    { orgId, role, suspendedAt }: MembershipOfUser,
    tx: Transaction,
  ): Promise<boolean> {
    // Whatever role the founder has by now: an admin whom the intruder appointed may have lowered it.
    if (await this.memberships.isFirstAdmin(id, orgId, tx)) return true;
    const { members } = await this.memberships.countOthers(orgId, id, tx);
    if (members === 0) return true;
    if (suspendedAt !== null) return false;
    return administers(ownRole, role) && !(await this.memberships.hasAdminNotMadeBy(id, orgId, tx));
  }
}
