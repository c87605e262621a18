import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LastLoginsRepository } from '../accounts/last-logins.repository.js';
import { ListedUsersRepository } from '../accounts/listed-users.repository.js';
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
import { InsufficientRole, NotFound, ValidationFailed } from '../http/errors.js';
import { type CountedPage, type Placed, pageInOrder, withTotal } from '../http/page.js';
import { fieldError } from '../http/problem.js';
import { isAtLeast, Role } from '../http/role.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { StepUpRule } from '../sessions/step-up-rule.js';
import { AdminMails } from './admin-mails.js';
import { LastAdmins } from './last-admins.js';
import { MembershipMails } from './membership-mails.js';
import { type AdministeredUser, administeredUserView, USER_COLUMNS } from './user.view.js';
import { UserFactors } from './user-factors.js';
import type { ExportUsers, ListUsers, UpdateUser } from './users.dto.js';

/** What a SYSTEM_ADMIN sees and changes of other users. */
@Injectable()
export class UsersService {
  constructor(
    private readonly users: UsersRepository,
    private readonly listed: ListedUsersRepository,
    private readonly logins: LastLoginsRepository,
    private readonly orgs: OrgsRepository,
    private readonly lastAdmins: LastAdmins,
    private readonly mails: MembershipMails,
    private readonly adminMails: AdminMails,
    private readonly invitations: SentInvitationsRepository,
    private readonly factors: UserFactors,
    private readonly sessions: SessionsService,
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
    const [found] = await this.administered([user]);
    return found as AdministeredUser;
  }

  /**
   * Gives a user another name or role, disables or enables them; what is not given stays. An admin may not do so to themselves,
   * and so cannot lock themselves out by a slip. Disabling ends the user's sessions, voids their links, except those
   * that secure the account, and takes back the invitations they sent lately; enabling brings none of them back.
   */
  async update(caller: Caller, id: string, change: UpdateUser, by: Actor): Promise<AdministeredUser> {
    const user = await this.get(id);
    if (Object.values(change).every((value) => value === undefined)) return user;
    const changed = await this.changeOther(caller, id, by, (held, tx) => this.apply(held, change, tx));
    return { ...user, ...changed };
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

  /** Says of users what only a SYSTEM_ADMIN sees. */
  private async administered(users: User[]): Promise<AdministeredUser[]> {
    const logins = await this.logins.findOf(users.map(({ id }) => id));
    const orgNames = await this.orgs.findNames(users.map(({ orgId }) => orgId));
    const marked = await this.factors.mark(users);
    return marked.map((user) => ({
      ...user,
      lastLoginAt: logins.get(user.id) ?? null,
      orgName: orgNames.get(user.orgId ?? '') ?? null,
    }));
  }

  /**
   * The user as they are now, and until the change is made. The locks are taken in the order of every transaction: the
   * organizations, the SYSTEM_ADMINs, the user; in another order two requests would deadlock. The caller is read once
   * more: of two admins who disable each other at once, the second no longer is one. Returns null when the user
   * has moved to another organization than the one that is locked.
   */
  private async lockUser(id: string, tx: Transaction): Promise<User | null> {
    const orgIds = await this.invitations.lockOrganizations(id, tx);
    await this.lastAdmins.assertAnotherSystemAdmin(id, tx);
    const user = await this.users.lock(id, tx);
    await this.authority.assertSystemAdmin(tx);
    if (!user) throw new NotFound();
    return user.orgId === null || orgIds.includes(user.orgId) ? user : null;
  }

  private async apply(user: User, change: UpdateUser, tx: Transaction): Promise<User> {
    const { name = user.name, role = user.role, disabled = user.disabledAt !== null } = change;
    if (change.role === Role.ORG_ADMIN && user.orgId === null)
      throw new ValidationFailed([fieldError('role', { code: 'not_for_organization' })]);

    // Disabling waits for no successor: an intruder may use the account.
    if (!isAtLeast(role, Role.ORG_ADMIN)) await this.lastAdmins.assertAnotherOrgAdmin(user, tx);

    // A stranger who set the password of an account that never proved its address must not rise with it.
    if (role !== user.role && user.emailVerifiedAt === null) await this.users.dropPassword(user.id, tx);
    if (disabled) {
      await this.sessions.endAll(user.id, tx);
      await this.tokens.revoke(user.id, 'reset-password', tx);
      await this.tokens.revoke(user.id, 'change-email', tx);
      await this.invitations.revoke(user.id, tx);
    }
    if (name !== user.name) await this.rename(user, name, tx);
    await this.record(user, { role, disabled }, tx);
    await this.mails.roleLowered(user, user.role, role, tx);
    await this.adminMails.roleRaised(user, user.role, role, tx);
    return this.users.setStanding(user.id, change, tx);
  }

  private async rename({ id: userId, orgId }: User, name: string | null, tx: Transaction): Promise<void> {
    await this.users.rename(userId, name, tx);
    await tx.record('account.updated', { userId, orgId });
  }

  /** One event for each of them that changes. */
  private async record(
    { id: userId, orgId, role: from, disabledAt }: User,
    { role: to, disabled }: { role: Role; disabled: boolean },
    tx: Transaction,
  ): Promise<void> {
    if (to !== from) await tx.record('role.changed', { userId, orgId, details: { from, to } });
    if (disabled === (disabledAt !== null)) return;
    const type = disabled ? 'account.disabled' : 'account.enabled';
    await tx.record(type, { userId, orgId });
  }
}
