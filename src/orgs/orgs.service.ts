import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { AdminsRepository } from '../accounts/admins.repository.js';
import type { Org } from '../accounts/org.entity.js';
import { type CountedOrg, OrgsRepository, orgOrder } from '../accounts/orgs.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UsersRepository } from '../accounts/users.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { SubscriptionsService } from '../billing/subscriptions.service.js';
import type { Actor, Caller, CallerUser } from '../http/caller.js';
import { AlreadyInOrganization, InsufficientRole, NoSecondFactor, NotFound } from '../http/errors.js';
import { type CountedPage, pageInOrder, withTotal } from '../http/page.js';
import { isAtLeast, Role } from '../http/role.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { StepUpRule } from '../sessions/step-up-rule.js';
import { MembershipMails } from '../users/membership-mails.js';
import { InvitationsService } from './invitations.service.js';
import type { CreateOrg, ListOrgs, UpdateOrg } from './orgs.dto.js';

/** The organizations: founded, renamed and dissolved. */
@Injectable()
export class OrgsService {
  constructor(
    private readonly orgs: OrgsRepository,
    private readonly users: UsersRepository,
    private readonly invitations: InvitationsService,
    private readonly admins: AdminsRepository,
    private readonly mails: MembershipMails,
    private readonly sessions: SessionsService,
    private readonly stepUp: StepUpRule,
    private readonly subscriptions: SubscriptionsService,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Makes an organization and invites its admin: both, or neither. Throws StepUpRequired, AlreadyInOrganization and
   * InsufficientRole.
   */
  async create(creator: Caller, { name, admin_email }: CreateOrg, by: Actor) {
    const org = { id: uuidv7(), name };
    const invitation = await this.transactions.run(by, async (tx) => {
      if (await this.orgs.belongsToAny(admin_email, tx)) throw new AlreadyInOrganization();
      await this.orgs.insert(org, tx);
      await tx.record('org.created', { orgId: org.id });
      const invite = { email: admin_email, role: Role.ORG_ADMIN };
      const issued = await this.invitations.issue(creator, org, invite, tx);
      // Only now: the invitation waits for the creator's row, so that no other admin takes the role away from here on.
      await this.authority.assertOrgAdmin(creator.user, org.id, tx);
      return issued;
    });
    return { org: await this.get(org.id), invitation };
  }

  async list(query: ListOrgs): Promise<CountedPage<CountedOrg>> {
    const page = await pageInOrder(query, orgOrder(query.sort), (after, limit) =>
      this.orgs.findPage(query, query.sort, after, limit),
    );
    return withTotal(query, page, () => this.orgs.count(query));
  }

  async get(id: string): Promise<CountedOrg> {
    const org = await this.orgs.find(id);
    if (!org) throw new NotFound();
    return org;
  }

  /**
   * Renames an organization, or sets whether its members must have a second factor; what is not given stays. Setting
   * that asks for a recent proof, and switching it on for a session with a second factor. Throws StepUpRequired and
   * NoSecondFactor.
   */
  async update(caller: Caller, id: string, change: UpdateOrg, by: Actor): Promise<CountedOrg> {
    const { name, second_factor_required: isRequired } = change;
    // Also before it is switched off: the thief of a session must not weaken the login of every member.
    if (isRequired !== undefined) await this.stepUp.assert(caller);
    if (isRequired) this.assertStrong(caller);
    if (name !== undefined || isRequired !== undefined)
      await this.transactions.run(by, async (tx) => {
        const org = await this.lock(caller.user, id, tx);
        if (name !== undefined) await this.orgs.rename(id, name, tx);
        if (isRequired !== undefined) await this.setSecondFactorRequired(org, isRequired, tx);
        const details = isRequired === undefined ? {} : { second_factor_required: isRequired };
        await tx.record('org.updated', { orgId: id, details });
      });
    return this.get(id);
  }

  /**
   * Dissolves an organization: its invitations go, its members stay as users without one. Throws StepUpRequired and
   * SubscriptionActive.
   */
  async delete(caller: Caller, id: string, by: Actor): Promise<void> {
    await this.transactions.run(by, async (tx) => {
      await this.lock(caller.user, id, tx);
      await this.admins.lockSystemAdmins(tx);
      const members = await this.orgs.removeMembers(id, tx);
      for (const from of new Set(members.map(({ role }) => role))) {
        const ids = members.filter(({ role }) => role === from).map((member) => member.id);
        await tx.recordOfEach('member.removed', ids, { orgId: id, details: { from } });
      }
      await this.mails.removed(members, id, tx);
      await this.end(caller, id, tx);
    });
  }

  /** Ends an organization, which is locked, once its last member has gone. Throws StepUpRequired, SubscriptionActive. */
  async endIfEmpty(caller: Caller, id: string, tx: Transaction): Promise<void> {
    if (await this.orgs.isEmpty(id, tx)) await this.end(caller, id, tx);
  }

  /** Founds an organization for a user who has an account already. Throws InsufficientRole, AlreadyInOrganization. */
  async foundLater(name: string, { id }: CallerUser, by: Actor): Promise<{ org: CountedOrg; user: User }> {
    const { orgId, user } = await this.transactions.run(by, async (tx) => {
      // The guards looked at the user when the request came; a SYSTEM_ADMIN may have lowered the role since.
      const founder = await this.users.lock(id, tx);
      await this.authority.assertLoggedIn(tx);
      if (!founder || !isAtLeast(founder.role, Role.MEMBER)) throw new InsufficientRole();
      const { orgId, admin } = await this.found(name, id, tx);
      await this.mails.founded(founder, orgId, tx);
      return { orgId, user: admin };
    });
    return { org: await this.get(orgId), user };
  }

  /** Founds an organization with a user as its admin. Throws AlreadyInOrganization. */
  async found(name: string, adminId: string, tx: Transaction): Promise<{ orgId: string; admin: User }> {
    const orgId = uuidv7();
    await this.orgs.insert({ id: orgId, name }, tx);
    const admin = await this.orgs.addMember(adminId, orgId, Role.ORG_ADMIN, tx);
    if (admin === null) throw new AlreadyInOrganization();
    await tx.record('org.created', { userId: adminId, orgId });
    await tx.record('member.joined', { userId: adminId, orgId, details: { role: admin.role } });
    return { orgId, admin };
  }

  /** On every road that leads here, the thief of an old session is stopped. */
  private async end(caller: Caller, id: string, tx: Transaction): Promise<void> {
    await this.stepUp.assert(caller, tx);
    await this.subscriptions.assertNotSubscribed({ orgId: id }, tx);
    await this.orgs.delete(id, tx);
    await tx.record('org.deleted', { orgId: id });
  }

  /** Throws NoSecondFactor. Otherwise the rule would first lock out the admin who sets it. */
  private assertStrong({ session }: Caller): void {
    if (session.aal === 1)
      throw new NoSecondFactor('Log in with a second factor yourself, before you require one of others.');
  }

  /**
   * Sets the rule, and when it is new ends the sessions of members without a second factor. It locks the members: a
   * login comes before that, and its session ends, or after it, and asks for a factor.
   */
  private async setSecondFactorRequired(org: Org, isRequired: boolean, tx: Transaction): Promise<void> {
    await this.orgs.setSecondFactorRequired(org.id, isRequired, tx);
    if (!isRequired || org.secondFactorRequiredAt !== null) return;
    await this.admins.lockSystemAdmins(tx);
    const members = await this.orgs.lockMembers(org.id, tx);
    await this.sessions.endWeak(
      members.map(({ id }) => id),
      tx,
    );
  }

  private async lock(caller: CallerUser, id: string, tx: Transaction): Promise<Org> {
    const org = await this.orgs.lock(id, tx);
    if (!org) throw new NotFound();
    await this.authority.assertOrgAdmin(caller, id, tx);
    return org;
  }
}
