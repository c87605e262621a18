import { Injectable } from '@nestjs/common';
import { EmailChangesRepository } from '../../accounts/email-changes.repository.js';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import type { Identity } from '../../accounts/identity.entity.js';
import { OrgsRepository } from '../../accounts/orgs.repository.js';
import { SentInvitationsRepository } from '../../accounts/sent-invitations.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { StripeSync } from '../../billing/stripe-sync.js';
import { SubscriptionsService } from '../../billing/subscriptions.service.js';
import type { Actor, Caller, CallerUser } from '../../http/caller.js';
import { AddressChangedRecently, NotFound, Unauthenticated } from '../../http/errors.js';
import { Role } from '../../http/role.js';
import { AccountMails } from '../../mail/account-mails.js';
import { OrgsService } from '../../orgs/orgs.service.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import { LastAdmins } from '../../users/last-admins.js';
import { UsersService } from '../../users/users.service.js';
import type { DeleteAccount, UpdateMe } from '../auth.dto.js';
import { PasswordService } from './password.service.js';

/** How accounts are changed and deleted: by their users, and by a SYSTEM_ADMIN. */
@Injectable()
export class AccountService {
  constructor(
    private readonly users: UsersRepository,
    private readonly managedUsers: UsersService,
    private readonly invitations: SentInvitationsRepository,
    private readonly orgs: OrgsRepository,
    private readonly organizations: OrgsService,
    private readonly lastAdmins: LastAdmins,
    private readonly passwords: PasswordService,
    private readonly emailChanges: EmailChangesRepository,
    private readonly identities: IdentitiesRepository,
    private readonly mails: AccountMails,
    private readonly stripeSync: StripeSync,
    private readonly subscriptions: SubscriptionsService,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  /** Changes what is given and leaves the rest; `null` takes the name away. */
  async update(user: CallerUser, { name = user.name }: UpdateMe, by: Actor): Promise<User> {
    const { id: userId, orgId } = user;
    await this.transactions.run(by, async (tx) => {
      await this.users.rename(userId, name, tx);
      await this.authority.assertLoggedIn(tx);
      await tx.record('account.updated', { userId, orgId });
    });
    return { ...user, name };
  }

  /**
   * Deletes the caller's account, and their organization if it has no other member. What hangs on the account goes with
   * its row: sessions, mailed tokens, identities. An account with a password asks for it, and one without for a
   * recent proof. Throws LastOrgAdmin, LastSystemAdmin, SubscriptionActive for either, and AddressChangedRecently
   * while the owner of an earlier address may take the account back: an intruder must not destroy it before.
   */
  async delete(caller: Caller, { current_password }: DeleteAccount, by: Actor): Promise<void> {
    const { orgId } = caller.user;
    await this.passwords.prove(caller, current_password, by);
    // The end of their organization asks for the proof that was just given.
    const proven = { ...caller, isRecent: true };
    await this.transactions.run(by, (tx) => this.leave(proven, tx));
    if (orgId !== null) this.stripeSync.soon({ orgId });
  }

  /** The accounts at identity providers that a user can log in with. Throws NotFound. */
  async identitiesOf(id: string): Promise<Identity[]> {
    if (!(await this.users.find(id))) throw new NotFound();
    return this.identities.findAllOf(id);
  }

  /**
   * Deletes another user's account as its user would, and takes back the invitations they sent lately, as disabling
   * does. A change of address does not stand in the way: the admin has looked at the account. Throws InsufficientRole
   * for oneself, StepUpRequired, NotFound, LastOrgAdmin, LastSystemAdmin, SubscriptionActive.
   */
  async deleteOther(caller: Caller, id: string, by: Actor): Promise<void> {
    const { orgId } = await this.managedUsers.changeOther(caller, id, by, async (held, tx) => {
      await this.lastAdmins.assertAnotherOrgAdmin(held, tx, { mayLeaveEmpty: true });
      await this.invitations.revoke(id, tx);
      const { addresses } = await this.emailChanges.findOf(id, tx);
      await this.remove(caller, held, tx);
      for (const address of new Set([held.email, ...addresses]))
        await this.mails.accountDeletedByAdmin(address, tx);
      return held;
    });
    if (orgId !== null) this.stripeSync.soon({ orgId });
  }

  /**
   * Deletes the caller's account as it was read, and tells every address it had lately. Throws Unauthenticated when it
   * has changed, or the session has ended, since.
   */
  private async leave(caller: Caller, tx: Transaction): Promise<void> {
    const { user } = caller;
    const { id, orgId, role } = user;
    // Locked in this order everywhere, or two would deadlock: the organization, the SYSTEM_ADMINs, the user, the
    // customer.
    if (orgId !== null) await this.orgs.lock(orgId, tx);
    if (role === Role.SYSTEM_ADMIN) await this.lastAdmins.assertAnotherSystemAdmin(id, tx);
    await this.lastAdmins.assertAnotherOrgAdmin(user, tx, { mayLeaveEmpty: true });

    const held = await this.users.lock(id, tx);
    await this.authority.assertLoggedIn(tx);
    const { addresses, isUndoable } = await this.emailChanges.findOf(id, tx);
    if (isUndoable) throw new AddressChangedRecently();
    if (held === null || !isAsRead(held, user)) throw new Unauthenticated();
    await this.remove(caller, held, tx);
    for (const address of new Set([held.email, ...addresses])) await this.mails.accountDeleted(address, tx);
  }

  /** Deletes a user, who is locked, and the organization that is left without members. */
  private async remove(caller: Caller, { id, orgId }: User, tx: Transaction): Promise<void> {
    await this.subscriptions.assertNotSubscribed({ userId: id }, tx);
    await this.users.delete(id, tx);
    await tx.record('account.deleted', { userId: id, orgId });
    if (orgId !== null) await this.organizations.endIfEmpty(caller, orgId, tx);
  }
}

/** Whether a user is enabled, and has the password, role and organization that they were read with. */
function isAsRead({ disabledAt, role, orgId, passwordChangedAt }: User, read: CallerUser): boolean {
  const isSamePassword = passwordChangedAt?.getTime() === read.passwordChangedAt?.getTime();
  return disabledAt === null && role === read.role && orgId === read.orgId && isSamePassword;
}
