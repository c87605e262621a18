import { Injectable } from '@nestjs/common';
import { EmailChangesRepository } from '../../accounts/email-changes.repository.js';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import type { Identity } from '../../accounts/identity.entity.js';
import {
  activeOf,
  type MembershipOfUser,
  MembershipsRepository,
} from '../../accounts/memberships.repository.js';
import { SentInvitationsRepository } from '../../accounts/sent-invitations.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { StripeSync } from '../../billing/stripe-sync.js';
import { SubscriptionsService } from '../../billing/subscriptions.service.js';
import { tryAgain } from '../../database/contention.js';
import type { Actor, Caller, CallerUser } from '../../http/caller.js';
import { AddressChangedRecently, NotFound, Unauthenticated } from '../../http/errors.js';
import { Role } from '../../http/role.js';
import { assertServed } from '../../http/served-locale.js';
import { AccountMails } from '../../mail/account-mails.js';
import { OrgsService } from '../../orgs/orgs.service.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import { administers, LastAdmins } from '../../users/last-admins.js';
import { UsersService } from '../../users/users.service.js';
import { given } from '../../validation/given.js';
import { Languages } from '../../words/languages.js';
import type { DeleteAccount, UpdateMe } from '../auth.dto.js';
import { PasswordService } from './password.service.js';

/** How accounts are changed and deleted: by their users, and by a SYSTEM_ADMIN. */
@Injectable()
export class AccountService {
  constructor(
    private readonly users: UsersRepository,
    private readonly managedUsers: UsersService,
    private readonly invitations: SentInvitationsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly organizations: OrgsService,
    private readonly lastAdmins: LastAdmins,
    private readonly passwords: PasswordService,
    private readonly emailChanges: EmailChangesRepository,
    private readonly identities: IdentitiesRepository,
    private readonly mails: AccountMails,
    private readonly stripeSync: StripeSync,
    private readonly subscriptions: SubscriptionsService,
    private readonly authority: AuthorityService,
    private readonly languages: Languages,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Changes what is given and leaves the rest; `null` takes a name, a language or a time zone away. A mail tells of another language
   * in the former one: an intruder who sets theirs would otherwise hide every warning after it. Throws ValidationFailed.
   */
  async update(user: CallerUser, body: UpdateMe, by: Actor): Promise<User> {
    const { name, locale, time_zone: timeZone } = body;
    assertServed(locale, this.languages);
    const { id: userId, orgId } = user;
    const change = given({ name, locale, timeZone });
    const changed = Object.keys(given({ ...body }));
    if (changed.length === 0) return user;
    await this.transactions.run(by, async (tx) => {
      if (locale !== undefined) await this.tellOfLanguage(user, locale, tx);
      await this.users.describe(userId, change, tx);
      await this.authority.assertLoggedIn(tx);
      await tx.record('account.updated', { userId, orgId, details: { changed: changed.join(' ') } });
    });
    return { ...user, ...change };
  }

  /** Tells a user in the language of their mails that it is about to be another one. */
  private async tellOfLanguage(user: CallerUser, locale: string | null, tx: Transaction): Promise<void> {
    if (!(await this.users.lock(user.id, tx))) throw new Unauthenticated();
    const former = await this.users.getReader(user.id, tx);
    await this.mails.languageChanged(user, former, { ...former, locale }, tx);
  }

  /**
   * Deletes the caller's account, and their organizations that have no other member. What hangs on the account goes with
   * its row: sessions, mailed tokens, identities. An account with a password asks for it, and one without for a
   * recent proof. Throws LastOrgAdmin, LastSystemAdmin, SubscriptionActive for either, and AddressChangedRecently
   * while the owner of an earlier address may take the account back: an intruder must not destroy it before.
   */
  async delete(caller: Caller, { current_password }: DeleteAccount, by: Actor): Promise<void> {
    await this.passwords.prove(caller, current_password, by);
    // The end of an organization asks for the proof that was just given.
    const proven = { ...caller, isRecent: true };
    const orgIds = await tryAgain(() => this.transactions.run(by, (tx) => this.leave(proven, tx)));
    for (const orgId of orgIds) this.stripeSync.soon({ orgId });
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
    let orgIds: string[] = [];
    await this.managedUsers.changeOther(caller, id, by, async (held, tx) => {
      await this.invitations.revoke(id, tx);
      const { addresses } = await this.emailChanges.findOf(id, tx);
      const reader = await this.users.getReader(id, tx);
      orgIds = await this.remove(caller, held, await this.memberships.findOf(id, tx), tx);
      for (const address of new Set([held.email, ...addresses]))
        await this.mails.accountDeletedByAdmin(address, reader, tx);
      return held;
    });
    for (const orgId of orgIds) this.stripeSync.soon({ orgId });
  }

  /**
   * Deletes the caller's account as it was read, and tells every address it had lately. Returns the organizations that it
   * belonged to, and null when it has joined another one than those that are locked. Throws Unauthenticated when it has
   * changed, or the session has ended, since.
   */
  private async leave(caller: Caller, tx: Transaction): Promise<string[] | null> {
    const { user } = caller;
    const { id } = user;
    // Locked in this order everywhere, or two would deadlock: the organizations, the SYSTEM_ADMINs, the user, the
    // customer.
    const orgIds = await this.memberships.lockOrgsOf(id, tx);
    if (user.ownRole === Role.SYSTEM_ADMIN) await this.lastAdmins.assertAnotherSystemAdmin(id, tx);

    const held = await this.users.lock(id, tx);
    await this.authority.assertLoggedIn(tx);
    const { addresses, isUndoable } = await this.emailChanges.findOf(id, tx);
    if (isUndoable) throw new AddressChangedRecently();
    if (held === null || !isAsRead(held, user)) throw new Unauthenticated();
    const memberships = await this.memberships.findOf(id, tx);
    if (!memberships.every(({ orgId }) => orgIds.includes(orgId))) return null;
    const reader = await this.users.getReader(id, tx);
    await this.remove(caller, held, memberships, tx);
    for (const address of new Set([held.email, ...addresses]))
      await this.mails.accountDeleted(address, reader, tx);
    return orgIds;
  }

  /**
   * Deletes a user, who is locked with their organizations, and each of those that is left without members. Each hears of
   * the member who went, as of any other. Returns the organizations. Throws LastOrgAdmin and SubscriptionActive.
   */
  private async remove(
    caller: Caller,
    user: User,
    memberships: MembershipOfUser[],
    tx: Transaction,
  ): Promise<string[]> {
    const { id: userId, ownRole } = user;
    const administered = activeOf(memberships).filter(({ role }) => administers(ownRole, role));
    await this.lastAdmins.assertOtherAdmins(user, idsOf(administered), tx, { mayLeaveEmpty: true });
    await this.subscriptions.assertNotSubscribed({ userId }, tx);
    for (const { orgId, role } of memberships)
      await tx.record('member.removed', { userId, orgId, details: { from: role } });
    await this.users.delete(userId, tx);
    await tx.record('account.deleted', { userId, orgId: user.orgId });
    for (const orgId of idsOf(memberships)) await this.organizations.endIfEmpty(caller, orgId, tx);
    return idsOf(memberships);
  }
}

const idsOf = (memberships: MembershipOfUser[]): string[] => memberships.map(({ orgId }) => orgId);

/** Whether a user is enabled, and has the password and the own role that they were read with. */
function isAsRead({ disabledAt, ownRole, passwordChangedAt }: User, read: CallerUser): boolean {
  const isSamePassword = passwordChangedAt?.getTime() === read.passwordChangedAt?.getTime();
  return disabledAt === null && ownRole === read.ownRole && isSamePassword;
}
