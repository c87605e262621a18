import { Injectable } from '@nestjs/common';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { assertNotSubscribed } from '../billing/assert-not-subscribed.js';
import { StripeSync } from '../billing/stripe-sync.js';
import type { Actor, Caller, CallerUser } from '../http/caller.js';
import { AddressChangedRecently, Unauthenticated } from '../http/errors.js';
import { Role } from '../http/role.js';
import { AccountMails } from '../mail/account-mails.js';
import { OrgsRepository } from '../orgs/orgs.repository.js';
import { OrgsService } from '../orgs/orgs.service.js';
import { assertLoggedIn } from '../sessions/assert-logged-in.js';
import { LastAdmins } from '../users/last-admins.js';
import type { User } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import type { DeleteAccount, UpdateMe } from './auth.dto.js';
import { EmailChangesRepository } from './email-changes.repository.js';
import { PasswordService } from './password.service.js';

/** What users do with their own account: change its name, and delete it. */
@Injectable()
export class AccountService {
  constructor(
    private readonly users: UsersRepository,
    private readonly orgs: OrgsRepository,
    private readonly organizations: OrgsService,
    private readonly lastAdmins: LastAdmins,
    private readonly passwords: PasswordService,
    private readonly emailChanges: EmailChangesRepository,
    private readonly mails: AccountMails,
    private readonly stripeSync: StripeSync,
    private readonly transactions: Transactions,
  ) {}

  /** Changes what is given and leaves the rest; `null` takes the name away. */
  async update(user: User, { name = user.name }: UpdateMe, by: Actor): Promise<User> {
    const { id: userId, orgId } = user;
    await this.transactions.run(by, async (tx) => {
      await this.users.rename(userId, name, tx);
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
    await this.transactions.run(by, (tx) => this.remove(caller.user, tx));
    if (orgId !== null) this.stripeSync.soon({ orgId });
  }

  /**
   * Deletes an account as it was read, and tells every address it had lately. Throws Unauthenticated when it has
   * changed, or the session has ended, since.
   */
  private async remove(user: CallerUser, tx: Transaction): Promise<void> {
    const { id, orgId, role } = user;
    // Locked in this order everywhere, or two would deadlock: the organization, the SYSTEM_ADMINs, the user, the
    // customer.
    if (orgId !== null) await this.orgs.lock(orgId, tx);
    if (role === Role.SYSTEM_ADMIN) await this.lastAdmins.assertAnotherSystemAdmin(id, tx);
    await this.lastAdmins.assertAnotherOrgAdmin(user, tx, { mayLeaveEmpty: true });

    const held = await this.users.lock(id, tx);
    await assertLoggedIn(tx);
    const { addresses, isUndoable } = await this.emailChanges.findOf(id, tx);
    if (isUndoable) throw new AddressChangedRecently();
    await assertNotSubscribed({ userId: id }, tx);
    if (!(await this.users.delete(user, tx))) throw new Unauthenticated();
    await tx.record('account.deleted', { userId: id, orgId });
    for (const address of new Set([held?.email ?? user.email, ...addresses]))
      await this.mails.accountDeleted(address, tx);
    if (orgId !== null) await this.organizations.endIfEmpty(orgId, tx);
  }
}
