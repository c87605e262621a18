import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { AdminsRepository } from '../accounts/admins.repository.js';
import { MembershipsRepository } from '../accounts/memberships.repository.js';
import type { Org } from '../accounts/org.entity.js';
import { type CountedOrg, OrgsRepository, orgOrder } from '../accounts/orgs.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UsersRepository } from '../accounts/users.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { SubscriptionsService } from '../billing/subscriptions.service.js';
import type { Actor, Caller, CallerUser } from '../http/caller.js';
import { InsufficientRole, NotFound } from '../http/errors.js';
import { type CountedPage, pageInOrder, withTotal } from '../http/page.js';
import { isAtLeast, Role } from '../http/role.js';
import { assertServed } from '../http/served-locale.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { StepUpRule } from '../sessions/step-up-rule.js';
import { MembershipMails } from '../users/membership-mails.js';
import { given } from '../validation/given.js';
import { Languages } from '../words/languages.js';
import { InvitationsService } from './invitations.service.js';
import type { CreateOrg, ListOrgs, UpdateOrg } from './orgs.dto.js';
import { PolicyService } from './policy.service.js';

/** The organizations: founded, renamed and dissolved. */
@Injectable()
export class OrgsService {
  constructor(
    private readonly orgs: OrgsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly users: UsersRepository,
    private readonly invitations: InvitationsService,
    private readonly admins: AdminsRepository,
    private readonly mails: MembershipMails,
    private readonly policies: PolicyService,
    private readonly stepUp: StepUpRule,
    private readonly subscriptions: SubscriptionsService,
    private readonly authority: AuthorityService,
    private readonly languages: Languages,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Makes an organization and invites its admin: both, or neither. Throws StepUpRequired, AlreadyInOrganization,
   * TooManyOrganizations and InsufficientRole.
   */
  async create(creator: Caller, { name, admin_email, locale = null }: CreateOrg, by: Actor) {
    assertServed(locale, this.languages);
    const org = { id: uuidv7(), name, locale };
    const invitation = await this.transactions.run(by, async (tx) => {
      await this.memberships.assertRoom(admin_email, tx);
      await this.orgs.insert(org, tx);
      await tx.record('org.created', { orgId: org.id });
      const invite = { email: admin_email, role: Role.ORG_ADMIN, roleId: null } as const;
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
   * Sets the name of an organization, its language, or whether its members must have a second factor; what is not given stays. Setting
   * that asks for a recent proof, and switching it on for a session with a second factor. Throws StepUpRequired and
   * NoSecondFactor.
   */
  async update(caller: Caller, id: string, change: UpdateOrg, by: Actor): Promise<CountedOrg> {
    const { name, locale, second_factor_required: isRequired } = change;
    assertServed(locale, this.languages);
    // Also before it is switched off: the thief of a session must not weaken the login of every member.
    if (isRequired !== undefined) await this.stepUp.assert(caller);
    const isDescribed = name !== undefined || locale !== undefined;
    if (isDescribed || isRequired !== undefined)
      await this.transactions.run(by, async (tx) => {
        await this.lock(caller.user, id, tx);
        if (isRequired !== undefined) await this.policies.set(caller, id, { secondFactor: isRequired }, tx);
        if (!isDescribed) return;
        await this.orgs.describe(id, given({ name, locale }), tx);
        await tx.record('org.updated', { orgId: id });
      });
    return this.get(id);
  }

  /**
   * Dissolves an organization: its invitations go, its members stay as users without one. Throws StepUpRequired and
   * SubscriptionActive.
   */
  async delete(caller: Caller, id: string, by: Actor): Promise<void> {
    // First: without the membership, nothing would ask the caller for a factor.
    await this.stepUp.assert(caller);
    await this.transactions.run(by, async (tx) => {
      await this.lock(caller.user, id, tx);
      await this.admins.lockSystemAdmins(tx);
      const members = await this.memberships.removeAll(id, tx);
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
    if (await this.memberships.isEmpty(id, tx)) await this.end(caller, id, tx);
  }

  /** Founds an organization for a user who has an account already. Throws InsufficientRole, and as `found` does. */
  async foundLater(name: string, { id }: CallerUser, by: Actor): Promise<{ org: CountedOrg; user: User }> {
    const { orgId, user } = await this.transactions.run(by, async (tx) => {
      // The guards looked at the user when the request came; a SYSTEM_ADMIN may have lowered the role since.
      const founder = await this.users.lock(id, tx);
      await this.authority.assertLoggedIn(tx);
      if (!founder || !isAtLeast(founder.ownRole, Role.MEMBER)) throw new InsufficientRole();
      const { orgId, admin } = await this.found({ name, locale: founder.locale }, id, tx);
      await this.mails.founded(founder, orgId, tx);
      return { orgId, user: admin };
    });
    return { org: await this.get(orgId), user };
  }

  /** Founds an organization with a user as its admin. Throws AlreadyInOrganization and TooManyOrganizations. */
  async found(
    org: Pick<Org, 'name' | 'locale'>,
    adminId: string,
    tx: Transaction,
  ): Promise<{ orgId: string; admin: User }> {
    const orgId = uuidv7();
    await this.orgs.insert({ id: orgId, ...org }, tx);
    const admin = await this.memberships.add(
      adminId,
      orgId,
      { role: Role.ORG_ADMIN, roleId: null },
      'founded',
      tx,
    );
    await tx.record('org.created', { userId: adminId, orgId });
    const details = { role: admin.role, joined_by: 'founded' };
    await tx.record('member.joined', { userId: adminId, orgId, details });
    return { orgId, admin };
  }

  /** On every road that leads here, the thief of an old session is stopped. */
  private async end(caller: Caller, id: string, tx: Transaction): Promise<void> {
    await this.stepUp.assert(caller, tx);
    await this.subscriptions.assertNotSubscribed({ orgId: id }, tx);
    await this.orgs.delete(id, tx);
    await tx.record('org.deleted', { orgId: id });
  }

  private async lock(caller: CallerUser, id: string, tx: Transaction): Promise<Org> {
    const org = await this.orgs.lock(id, tx);
    if (!org) throw new NotFound();
    await this.authority.assertOrgAdmin(caller, id, tx);
    return org;
  }
}
