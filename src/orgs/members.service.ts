import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ListedUsersRepository } from '../accounts/listed-users.repository.js';
import { type Member, MembershipsRepository } from '../accounts/memberships.repository.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
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
import { MEMBER_COLUMNS, memberView, type WithFactor } from '../users/user.view.js';
import { UserFactors } from '../users/user-factors.js';
import { FactorRequests } from './factor-requests.js';
import type { ExportMembers, ListMembers, UpdateMember } from './orgs.dto.js';
import { OrgsService } from './orgs.service.js';
import { type ChosenRole, RolesService } from './roles.service.js';

/** Who belongs to an organization, and with which role. */
@Injectable()
export class MembersService {
  constructor(
    private readonly memberships: MembershipsRepository,
    private readonly orgs: OrgsRepository,
    private readonly listed: ListedUsersRepository,
    private readonly organizations: OrgsService,
    private readonly roles: RolesService,
    private readonly lastAdmins: LastAdmins,
    private readonly mails: MembershipMails,
    private readonly adminMails: AdminMails,
    private readonly factors: UserFactors,
    private readonly factorRequests: FactorRequests,
    private readonly stepUp: StepUpRule,
    private readonly stripeSync: StripeSync,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  async list(orgId: string, query: ListMembers): Promise<CountedPage<WithFactor<Member>>> {
    if (!(await this.orgs.find(orgId))) throw new NotFound();
    const filter = { ...query, org_id: orgId };
    const order = new UserOrder(query.sort);
    const page = await pageInOrder(query, order, (after, limit) =>
      this.listed.findMembers(filter, order, after, limit),
    );
    const counted = await withTotal(query, page, () => this.listed.count(filter));
    return { ...counted, data: await this.factors.mark(page.data) };
  }

  /** The whole list as a file, and records that it left the service. */
  async export(orgId: string, query: ExportMembers, by: Actor, recheck: Recheck): Promise<Readable> {
    if (!(await this.orgs.find(orgId))) throw new NotFound();
    const filter = { ...query, org_id: orgId };
    const order = new UserOrder(query.sort);
    const read = await this.listed.readerOfMembers(filter, order);
    const csv = await csvOf<Placed<Member>>(
      {
        columns: MEMBER_COLUMNS,
        read: (last, limit) => read(last && { key: last.sortKey, id: last.id }, limit),
        view: async (users) => (await this.factors.mark(users)).map(rowOf),
      },
      recheck,
    );
    const details = { list: 'members', ...filtersIn(query) };
    await this.transactions.record('list.exported', by, { orgId, details });
    return csv;
  }

  /**
   * Gives a member another role, suspends them, or lets them in again; what is not given stays. An admin may do neither to
   * themselves. Throws LastOrgAdmin and StepUpRequired.
   */
  async update(
    caller: Caller,
    orgId: string,
    userId: string,
    { suspended, ...given }: UpdateMember,
    by: Actor,
  ): Promise<WithFactor<Member>> {
    const { user } = caller;
    const changed = await this.transactions.run(by, async (tx) => {
      const member = await this.lockMember(user, orgId, userId, tx);
      if (userId === user.id) throw new InsufficientRole('Another admin has to change your role.');
      const chosen = await this.roles.chosen(orgId, given, tx);
      if (chosen) assertMayHave(chosen, member);
      if (!isAtLeast(user.role, member.role)) throw new InsufficientRole();
      const goes = suspended === true || (chosen !== null && chosen.role !== Role.ORG_ADMIN);
      if (goes) await this.lastAdmins.assertAnotherOrgAdmin(member, tx);
      await this.stepUp.assertForAdmins(caller, [member.role, chosen?.role ?? member.role], tx);

      const raised = chosen ? await this.setRole(member, chosen, orgId, tx) : member;
      const isSame = suspended === undefined || suspended === (member.suspendedAt !== null);
      return isSame ? raised : this.setSuspended(raised, suspended, orgId, tx);
    });
    this.stripeSync.soon({ orgId });
    const [marked] = await this.factors.mark([changed]);
    return marked as WithFactor<Member>;
  }

  private async setRole(member: Member, chosen: ChosenRole, orgId: string, tx: Transaction): Promise<Member> {
    const { id: userId, role: from, customRole: former } = member;
    const { role, customRole } = chosen;
    await this.memberships.setRole(orgId, userId, chosen, tx);
    const details = {
      from,
      to: role,
      ...(former && { former_role_id: former.id }),
      ...(customRole && { role_id: customRole.id }),
    };
    await tx.record('role.changed', { userId, orgId, details });
    await this.mails.roleLowered(member, from, role, tx);
    await this.adminMails.roleRaised(member, from, role, tx);
    return { ...member, role, customRole };
  }

  /** Keeps a member out of the organization, or lets them in again, which makes one who administers it an admin anew. */
  private async setSuspended(
    member: Member,
    isSuspended: boolean,
    orgId: string,
    tx: Transaction,
  ): Promise<Member> {
    const { id: userId, role } = member;
    const suspendedAt = await this.memberships.setSuspended(orgId, userId, isSuspended, tx);
    if (isSuspended) {
      await tx.record('member.suspended', { userId, orgId, details: { from: role } });
      await this.mails.suspended(member, orgId, tx);
    } else {
      await tx.record('member.resumed', { userId, orgId, details: { role } });
      await this.mails.resumed(member, orgId, tx);
      if (role === Role.ORG_ADMIN) await this.adminMails.peerAppointed(member, null, role, tx);
    }
    return { ...member, suspendedAt };
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
      await this.memberships.remove(orgId, userId, tx);
      await tx.record('member.removed', { userId, orgId, details: { from: member.role } });
      if (!isLeaving) return this.mails.removed([member], orgId, tx);
      await this.mails.left(member, orgId, tx);
      await this.organizations.endIfEmpty(caller, orgId, tx);
    });
    this.stripeSync.soon({ orgId });
  }

  /**
   * Removes the second factors of a member who has lost them, or asks the SYSTEM_ADMINs to do so, and returns whether it
   * removed them. Throws StepUpRequired, and InsufficientRole for oneself, or a higher role.
   */
  async resetFactors(caller: Caller, orgId: string, userId: string, by: Actor): Promise<boolean> {
    const { user } = caller;
    await this.stepUp.assert(caller);
    return this.transactions.run(by, async (tx) => {
      const member = await this.lockMember(user, orgId, userId, tx);
      if (userId === user.id) throw new InsufficientRole('Another admin has to do this to your account.');
      if (!isAtLeast(user.role, member.role)) throw new InsufficientRole();
      if (user.role !== Role.SYSTEM_ADMIN && (await this.factorRequests.mustAsk(tx))) {
        await this.factorRequests.ask(user, member, orgId, tx);
        return false;
      }
      await this.factors.reset(member, tx);
      return true;
    });
  }

  /** The member a caller may change, locked together with the organization: `create-admin` may raise them meanwhile. */
  private async lockMember(
    caller: CallerUser,
    orgId: string,
    userId: string,
    tx: Transaction,
  ): Promise<Member> {
    if (!(await this.orgs.lock(orgId, tx))) throw new NotFound();
    if (userId !== caller.id) await this.authority.assertOrgAdmin(caller, orgId, tx);

    const member = await this.memberships.lock(orgId, userId, tx);
    // Under the last lock: the session may have ended while the request waited for either.
    await this.authority.assertLoggedIn(tx);
    if (!member) throw new NotFound();
    return member;
  }
}

/** A member in a file, where a custom role is its name. */
function rowOf(member: WithFactor<Member>) {
  return { ...memberView(member), custom_role: member.customRole?.name };
}

/** Throws InsufficientRole where no organization gives or takes the role of a member. */
function assertMayHave({ role, roleId }: ChosenRole, { role: former, ownRole }: Member): void {
  if (former === Role.SYSTEM_ADMIN) throw new InsufficientRole();
  if ((role !== Role.READONLY || roleId !== null) && ownRole === Role.READONLY)
    throw new InsufficientRole('A SYSTEM_ADMIN made this user READONLY, and has to lift that first.');
}
