import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ListedUsersRepository } from '../accounts/listed-users.repository.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UserOrder } from '../accounts/user-order.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { StripeSync } from '../billing/stripe-sync.js';
import type { Actor, Caller, CallerUser, Recheck } from '../http/caller.js';
import { csvOf, filtersIn } from '../http/csv.js';
import { InsufficientRole, NotFound } from '../http/errors.js';
import { type CountedPage, type Placed, pageInOrder, withTotal } from '../http/page.js';
import { isAtLeast, Role } from '../http/role.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { StepUpRule } from '../sessions/step-up-rule.js';
import { AdminMails } from '../users/admin-mails.js';
import { LastAdmins } from '../users/last-admins.js';
import { MembershipMails } from '../users/membership-mails.js';
import { MEMBER_COLUMNS, memberView, type UserWithFactor } from '../users/user.view.js';
import { UserFactors } from '../users/user-factors.js';
import type { ExportMembers, ListMembers } from './orgs.dto.js';
import { OrgsService } from './orgs.service.js';

/** Who belongs to an organization, and with which role. */
@Injectable()
export class MembersService {
  constructor(
    private readonly orgs: OrgsRepository,
    private readonly listed: ListedUsersRepository,
    private readonly organizations: OrgsService,
    private readonly lastAdmins: LastAdmins,
    private readonly mails: MembershipMails,
    private readonly adminMails: AdminMails,
    private readonly factors: UserFactors,
    private readonly stepUp: StepUpRule,
    private readonly stripeSync: StripeSync,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  async list(orgId: string, query: ListMembers): Promise<CountedPage<UserWithFactor>> {
    if (!(await this.orgs.find(orgId))) throw new NotFound();
    const filter = { ...query, org_id: orgId };
    const order = new UserOrder(query.sort);
    const page = await pageInOrder(query, order, (after, limit) =>
      this.listed.findPage(filter, order, after, limit),
    );
    const counted = await withTotal(query, page, () => this.listed.count(filter));
    return { ...counted, data: await this.factors.mark(page.data) };
  }

  /** The whole list as a file, and records that it left the service. */
  async export(orgId: string, query: ExportMembers, by: Actor, recheck: Recheck): Promise<Readable> {
    if (!(await this.orgs.find(orgId))) throw new NotFound();
    const filter = { ...query, org_id: orgId };
    const order = new UserOrder(query.sort);
    const read = await this.listed.readerOf(filter, order);
    const csv = await csvOf<Placed<User>>(
      {
        columns: MEMBER_COLUMNS,
        read: (last, limit) => read(last && { key: last.sortKey, id: last.id }, limit),
        view: async (users) => (await this.factors.mark(users)).map(memberView),
      },
      recheck,
    );
    const details = { list: 'members', ...filtersIn(query) };
    await this.transactions.record('list.exported', by, { orgId, details });
    return csv;
  }

  /**
   * Gives a member another role. An admin may not change their own, nor that of a SYSTEM_ADMIN, which no organization
   * gave. Throws StepUpRequired.
   */
  async setRole(caller: Caller, orgId: string, userId: string, role: Role, by: Actor): Promise<User> {
    const { user } = caller;
    const changed = await this.transactions.run(by, async (tx) => {
      const member = await this.lockMember(user, orgId, userId, tx);
      if (userId === user.id) throw new InsufficientRole('Another admin has to change your role.');
      if (member.role === Role.SYSTEM_ADMIN) throw new InsufficientRole();
      if (role !== Role.READONLY && (await this.orgs.isRestricted(userId, tx)))
        throw new InsufficientRole('A SYSTEM_ADMIN made this user READONLY, and has to lift that first.');
      if (role !== Role.ORG_ADMIN) await this.lastAdmins.assertAnotherOrgAdmin(member, tx);
      await this.stepUp.assertForAdmins(caller, [member.role, role], tx);

      await this.orgs.setMemberRole(userId, role, tx);
      const details = { from: member.role, to: role };
      await tx.record('role.changed', { userId, orgId, details });
      await this.mails.roleLowered(member, member.role, role, tx);
      await this.adminMails.roleRaised(member, member.role, role, tx);
      return { ...member, role };
    });
    this.stripeSync.soon({ orgId });
    return changed;
  }

  /**
   * Takes a member out of the organization; the account stays. Members may leave by themselves, and the organization
   * ends when its only member leaves. Throws LastOrgAdmin, StepUpRequired, SubscriptionActive.
   */
  async remove(caller: Caller, orgId: string, userId: string, by: Actor): Promise<void> {
    const { user } = caller;
    await this.transactions.run(by, async (tx) => {
      const member = await this.lockMember(user, orgId, userId, tx);
      if (!isAtLeast(user.role, member.role)) throw new InsufficientRole();

      const isLeaving = userId === user.id;
      await this.lastAdmins.assertAnotherOrgAdmin(member, tx, { mayLeaveEmpty: isLeaving });
      await this.stepUp.assertForAdmins(caller, [member.role], tx);
      await this.orgs.removeMember(userId, tx);
      await tx.record('member.removed', { userId, orgId, details: { from: member.role } });
      if (!isLeaving) return this.mails.removed([member], orgId, tx);
      await this.mails.left(member, orgId, tx);
      await this.organizations.endIfEmpty(caller, orgId, tx);
    });
    this.stripeSync.soon({ orgId });
  }

  /**
   * Removes the second factors of a member who has lost them. Throws StepUpRequired, and InsufficientRole for oneself, or
   * a higher role.
   */
  async resetFactors(caller: Caller, orgId: string, userId: string, by: Actor): Promise<void> {
    const { user } = caller;
    await this.stepUp.assert(caller);
    await this.transactions.run(by, async (tx) => {
      const member = await this.lockMember(user, orgId, userId, tx);
      if (userId === user.id) throw new InsufficientRole('Another admin has to do this to your account.');
      if (!isAtLeast(user.role, member.role)) throw new InsufficientRole();
      await this.factors.reset(member, tx);
    });
  }

  /** The member a caller may change, locked together with the organization: `create-admin` may raise them meanwhile. */
  private async lockMember(
    caller: CallerUser,
    orgId: string,
    userId: string,
    tx: Transaction,
  ): Promise<User> {
    if (!(await this.orgs.lock(orgId, tx))) throw new NotFound();
    if (userId !== caller.id) await this.authority.assertOrgAdmin(caller, orgId, tx);

    const member = await this.orgs.lockMember(orgId, userId, tx);
    // Under the last lock: the session may have ended while the request waited for either.
    await this.authority.assertLoggedIn(tx);
    if (!member) throw new NotFound();
    return member;
  }
}
