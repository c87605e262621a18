import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LastLoginsRepository } from '../accounts/last-logins.repository.js';
import { ListedUsersRepository } from '../accounts/listed-users.repository.js';
import { MembershipsRepository } from '../accounts/memberships.repository.js';
import { OneTimeTokensRepository } from '../accounts/one-time-tokens.repository.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import { SentInvitationsRepository } from '../accounts/sent-invitations.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UserOrder } from '../accounts/user-order.js';
import { UsersRepository } from '../accounts/users.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { tryAgain } from '../database/contention.js';
import type { Actor, Caller, Recheck } from '../http/caller.js';
import { csvOf, filtersIn } from '../http/csv.js';
import { InsufficientRole, NotFound } from '../http/errors.js';
import { type CountedPage, type Placed, pageInOrder, withTotal } from '../http/page.js';
import { Role } from '../http/role.js';
import { ActingSessionsService } from '../sessions/acting-sessions.service.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { StepUpRule } from '../sessions/step-up-rule.js';
import { LastAdmins } from './last-admins.js';
import { type AdministeredUser, administeredUserView, USER_COLUMNS } from './user.view.js';
import { UserFactors } from './user-factors.js';
import { UserRoles } from './user-roles.js';
import type { ExportUsers, ListUsers, UpdateUser } from './users.dto.js';

/** What a SYSTEM_ADMIN sees and changes of other users. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly listed: ListedUsersRepository,
    private readonly logins: LastLoginsRepository,
    private readonly orgs: OrgsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly lastAdmins: LastAdmins,
    private readonly roles: UserRoles,
    private readonly invitations: SentInvitationsRepository,
    private readonly factors: UserFactors,
    private readonly sessions: SessionsService,
    private readonly acting: ActingSessionsService,
    private readonly tokens: OneTimeTokensRepository,
    private readonly stepUp: StepUpRule,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  async list(query: ListUsers): Promise<CountedPage<AdministeredUser>> {
    const order = new UserOrder(query.sort);
    const page = await pageInOrder(query, order, (after, limit) =>
      this.listed.findPage(query, order, after, limit),
    );
    const counted = await withTotal(query, page, () => this.listed.count(query));
    return { ...counted, data: await this.administered(page.data) };
  }

  /** The whole list as a file, and records that it left the service. */
  async export(query: ExportUsers, by: Actor, recheck: Recheck): Promise<Readable> {
    const order = new UserOrder(query.sort);
    const read = await this.listed.readerOf(query, order);
    const csv = await csvOf<Placed<User>>(
      {
        columns: USER_COLUMNS,
        read: (last, limit) => read(last && { key: last.sortKey, id: last.id }, limit),
        view: async (users) => (await this.administered(users)).map(administeredUserView),
      },
      recheck,
    );
    await this.transactions.record('list.exported', by, { details: { list: 'users', ...filtersIn(query) } });
    return csv;
  }

  /** Throws NotFound. */
  async get(id: string): Promise<AdministeredUser> {
    const user = await this.users.find(id);
    if (!user) throw new NotFound();
    return this.asAdministered(user);
  }

  /**
   * Gives a user another name or role, disables or enables them; what is not given stays. An admin may not do so to themselves,
   * and so cannot lock themselves out by a slip. Disabling ends the user's sessions, voids their links, except those
   * that secure the account, and takes back the invitations they sent lately; enabling brings none of them back.
   */
  async update(caller: Caller, id: string, change: UpdateUser, by: Actor): Promise<AdministeredUser> {
    const user = await this.get(id);
    if (Object.values(change).every((value) => value === undefined)) return user;
    return this.asAdministered(
      await this.changeOther(caller, id, by, (held, tx) => this.apply(held, change, tx)),
    );
  }

  /** Removes the second factors of a user who has lost them. An admin may not do so to themselves. */
  async resetFactors(caller: Caller, id: string, by: Actor): Promise<void> {
    await this.changeOther(caller, id, by, async (held, tx) => {
      await this.factors.reset(held, tx);
      return held;
    });
  }

  /**
   * Does something to another user, who is locked meanwhile. Throws StepUpRequired, InsufficientRole for oneself,
   * NotFound, and LastSystemAdmin.
   */
  async changeOther(
    caller: Caller,
    id: string,
    by: Actor,
    change: (held: User, tx: Transaction) => Promise<User>,
  ): Promise<User> {
    await this.stepUp.assert(caller);
    if (id === caller.user.id)
      throw new InsufficientRole('Another system admin has to do this to your account.');
    return tryAgain(() =>
      this.transactions.run(by, async (tx) => {
        const held = await this.lockUser(id, tx);
        return held && change(held, tx);
      }),
    );
  }

  private async asAdministered(user: User): Promise<AdministeredUser> {
    const [found] = await this.administered([user]);
    return found as AdministeredUser;
  }

  /** Says of users what only a SYSTEM_ADMIN sees. */
  private async administered(users: User[]): Promise<AdministeredUser[]> {
    const logins = await this.logins.findOf(users.map(({ id }) => id));
    const orgNames = await this.orgs.findNames(users.map(({ orgId }) => orgId));
    const memberships = await this.memberships.findOfEach(users.map(({ id }) => id));
    const marked = await this.factors.mark(users);
    return marked.map((user) => ({
      ...user,
      memberships: memberships.get(user.id) ?? [],
      lastLoginAt: logins.get(user.id) ?? null,
      orgName: orgNames.get(user.orgId ?? '') ?? null,
    }));
  }

  /**
   * The user as they are now, and until the change is made. The locks are taken in the order of every transaction: the
   * organizations, the SYSTEM_ADMINs, the user; in another order two requests would deadlock. The caller is read once
   * more: of two admins who disable each other at once, the second no longer is one. Returns null when the user
   * has joined another organization than those that are locked.
   */
  private async lockUser(id: string, tx: Transaction): Promise<User | null> {
    const orgIds = await this.invitations.lockOrganizations(id, tx);
    await this.lastAdmins.assertAnotherSystemAdmin(id, tx);
    const user = await this.users.lock(id, tx);
    await this.authority.assertSystemAdmin(tx);
    if (!user) throw new NotFound();
    const memberships = await this.memberships.findOf(id, tx);
    return memberships.every(({ orgId }) => orgIds.includes(orgId)) ? user : null;
  }

  private async apply(user: User, change: UpdateUser, tx: Transaction): Promise<User> {
    const { name = user.name, role, disabled = user.disabledAt !== null } = change;
    if (disabled) {
      await this.sessions.endAll(user.id, tx);
      await this.tokens.revoke(user.id, 'reset-password', tx);
      await this.tokens.revoke(user.id, 'change-email', tx);
      await this.invitations.revoke(user.id, tx);
    }
    if (name !== user.name) await this.rename(user, name, tx);
    if (role !== undefined) await this.giveRole(user, role, tx);
    await this.recordDisabled(user, disabled, tx);
    await this.users.setDisabled(user.id, disabled, tx);
    return this.users.get(user.id, tx);
  }

  /** Who no longer is a SYSTEM_ADMIN acts for nobody, also once they are one again. */
  private async giveRole(user: User, role: Role, tx: Transaction): Promise<void> {
    await this.roles.give(user, role, tx);
    if (user.ownRole === Role.SYSTEM_ADMIN && role !== Role.SYSTEM_ADMIN)
      await this.acting.endOfAdmin(user.id, tx);
  }

  private async rename({ id: userId, orgId }: User, name: string | null, tx: Transaction): Promise<void> {
    await this.users.describe(userId, { name }, tx);
    await tx.record('account.updated', { userId, orgId });
  }

  private async recordDisabled(
    { id: userId, orgId, disabledAt }: User,
    disabled: boolean,
    tx: Transaction,
  ): Promise<void> {
    if (disabled === (disabledAt !== null)) return;
    await tx.record(disabled ? 'account.disabled' : 'account.enabled', { userId, orgId });
  }
}
