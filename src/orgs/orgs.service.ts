import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Audit } from '../audit/audit.js';
import { refuseSubscribed } from '../billing/refuse-subscribed.js';
import type { Actor } from '../http/caller.js';
import { AlreadyInOrganization, NotFound } from '../http/errors.js';
import { type Page, type PageQuery, pageOf } from '../http/page.js';
import { Role } from '../http/role.js';
import { AdminNews } from '../users/admin-news.js';
import { AdminsRepository } from '../users/admins.repository.js';
import type { User } from '../users/user.entity.js';
import type { Invitation } from './invitation.entity.js';
import { InvitationsService } from './invitations.service.js';
import { requireOrgAdmin } from './org-authority.js';
import type { CreateOrg, UpdateOrg } from './orgs.dto.js';
import { type CountedOrganization, OrgsRepository } from './orgs.repository.js';

/** The organizations and who founds, joins and dissolves them. */
@Injectable()
export class OrgsService {
  constructor(
    private readonly orgs: OrgsRepository,
    private readonly invitations: InvitationsService,
    private readonly admins: AdminsRepository,
    private readonly news: AdminNews,
    private readonly database: DataSource,
    private readonly audit: Audit,
  ) {}

  /** Makes an organization and invites its admin: both, or neither. Throws AlreadyInOrganization, InsufficientRole. */
  async create(creator: User, { name, admin_email }: CreateOrg, by: Actor) {
    const org = { id: uuidv7(), name };
    const invitation = await this.database.transaction(async (manager) => {
      if (await this.orgs.belongsToAny(admin_email, manager)) throw new AlreadyInOrganization();
      await this.orgs.insert(org, manager);
      await this.audit.record({ type: 'org.created', by, orgId: org.id }, manager);
      const invite = { email: admin_email, role: Role.ORG_ADMIN };
      const issued = await this.invitations.issue(creator, org, invite, by, manager);
      // Only now: the invitation waits for the creator's row, so that nobody takes the role away from here on.
      await requireOrgAdmin(creator, org.id, manager);
      return issued;
    });
    return { org: await this.get(org.id), invitation };
  }

  list(query: PageQuery): Promise<Page<CountedOrganization>> {
    return pageOf(query, (before, limit) => this.orgs.findAll(before, limit));
  }

  async get(id: string): Promise<CountedOrganization> {
    const org = await this.orgs.find(id);
    if (!org) throw new NotFound();
    return org;
  }

  async update(caller: User, id: string, { name }: UpdateOrg, by: Actor): Promise<CountedOrganization> {
    await this.database.transaction(async (manager) => {
      await this.hold(caller, id, manager);
      await this.orgs.rename(id, name, manager);
      await this.audit.record({ type: 'org.updated', by, orgId: id }, manager);
    });
    return this.get(id);
  }

  /**
   * Dissolves an organization: its invitations go, its members stay as users without one. Throws SubscriptionActive.
   */
  async delete(caller: User, id: string, by: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.hold(caller, id, manager);
      await this.admins.lockSystemAdmins(manager);
      await this.orgs.removeMembers({ orgId: id }, manager);
      await this.end(id, by, manager);
    });
  }

  /** Ends an organization, which is locked, once its last member has gone. Throws SubscriptionActive. */
  async endIfEmpty(id: string, by: Actor, manager: EntityManager): Promise<void> {
    if (await this.orgs.isEmpty(id, manager)) await this.end(id, by, manager);
  }

  /** Founds an organization with a user as its admin. Throws AlreadyInOrganization when they have joined one by now. */
  async found(name: string, adminId: string, by: Actor, manager: EntityManager): Promise<void> {
    const orgId = uuidv7();
    await this.orgs.insert({ id: orgId, name }, manager);
    const isAdmin = await this.orgs.addMember(adminId, orgId, Role.ORG_ADMIN, manager);
    if (!isAdmin) throw new AlreadyInOrganization();
    await this.audit.record({ type: 'org.created', by, userId: adminId, orgId }, manager);
  }

  /**
   * Makes a user, who belongs to no organization yet, a member with the role of the invitation. A higher role stays.
   */
  async join(user: User, { orgId, role }: Invitation, by: Actor, manager: EntityManager): Promise<void> {
    const isJoined = await this.orgs.addMember(user.id, orgId, role, manager);
    if (!isJoined) throw new AlreadyInOrganization();
    await this.audit.record(
      { type: 'member.joined', by, userId: user.id, orgId, details: { role } },
      manager,
    );
    await this.news.tellOfRise({ ...user, orgId }, user.role, role, manager);
  }

  private async end(id: string, by: Actor, manager: EntityManager): Promise<void> {
    await refuseSubscribed({ orgId: id }, manager);
    await this.orgs.delete(id, manager);
    await this.audit.record({ type: 'org.deleted', by, orgId: id }, manager);
  }

  private async hold(caller: User, id: string, manager: EntityManager): Promise<void> {
    if (!(await this.orgs.lock(id, manager))) throw new NotFound();
    await requireOrgAdmin(caller, id, manager);
  }
}
