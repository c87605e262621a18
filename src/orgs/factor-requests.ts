import { Injectable } from '@nestjs/common';
import { AdminsRepository } from '../accounts/admins.repository.js';
import { MembershipsRepository } from '../accounts/memberships.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import type { CallerUser } from '../http/caller.js';
import { AccountMails } from '../mail/account-mails.js';
import { AdminMails } from '../users/admin-mails.js';
import { RecentActsRepository } from '../users/recent-acts.repository.js';

/**
 * How an admin of an organization asks SYSTEM_ADMINs to reset the second factors of a member. The factors guard the whole
 * account: an admin of one organization who removed them would open the others of a member who belongs to several.
 */
@Injectable()
export class FactorRequests {
  constructor(
    private readonly memberships: MembershipsRepository,
    private readonly admins: AdminsRepository,
    private readonly accountMails: AccountMails,
    private readonly adminMails: AdminMails,
    private readonly acts: RecentActsRepository,
  ) {}

  /**
   * Whether an organization has to ask. It does for each member alike, as soon as one user may belong to several: otherwise it
   * would learn which of its members do.
   */
  mustAsk(tx: Transaction): Promise<boolean> {
    return this.memberships.mayBeSeveral(tx);
  }

  /** Tells the SYSTEM_ADMINs and the owner of a member, who is locked: once a day for an organization. */
  async ask(admin: CallerUser, member: User, orgId: string, tx: Transaction): Promise<void> {
    if (await this.acts.hasAskedForReset(member.id, orgId, tx)) return;
    const { name: orgName } = await this.admins.findOrg(orgId, tx);
    const request = { admin: admin.email, email: member.email, orgName };
    await this.adminMails.factorsResetRequested(request, member.id, tx);
    await this.accountMails.factorsResetAsked(member, orgName, tx);
    await tx.record('factors.reset_requested', { userId: member.id, orgId });
  }
}
