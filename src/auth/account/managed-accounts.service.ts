import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { InvitationsRepository } from '../../accounts/invitations.repository.js';
import { OneTimeTokensRepository } from '../../accounts/one-time-tokens.repository.js';
import type { Org } from '../../accounts/org.entity.js';
import { OrgsRepository } from '../../accounts/orgs.repository.js';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { StripeSync } from '../../billing/stripe-sync.js';
import { Environment } from '../../config/environment.js';
import type { Actor, Caller } from '../../http/caller.js';
import { AddressHeld, AddressTaken, ValidationFailed } from '../../http/errors.js';
import { fieldError } from '../../http/problem.js';
import { Role } from '../../http/role.js';
import { AccountMails } from '../../mail/account-mails.js';
import { Limits } from '../../rate-limits/limits.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { StepUpRule } from '../../sessions/step-up-rule.js';
import { AdminMails } from '../../users/admin-mails.js';
import { UsersService } from '../../users/users.service.js';
import { type ReasonCode } from '../../validation/reasons.js';
import type { CreateUser } from '../auth.dto.js';

/** The accounts that a SYSTEM_ADMIN makes by hand, and the addresses that they correct. */
@Injectable()
export class ManagedAccountsService {
  constructor(
    private readonly users: UsersRepository,
    private readonly managedUsers: UsersService,
    private readonly orgs: OrgsRepository,
    private readonly invitations: InvitationsRepository,
    private readonly signups: SignupsRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly sessions: SessionsService,
    private readonly stepUp: StepUpRule,
    private readonly authority: AuthorityService,
    private readonly limits: Limits,
    private readonly mails: AccountMails,
    private readonly adminMails: AdminMails,
    private readonly stripeSync: StripeSync,
    private readonly environment: Environment,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Makes the account of an address, which has no password until the reader of the mailed link chooses one. It takes the
   * place of signups with the address, and of its invitation to the same organization. Throws StepUpRequired,
   * ValidationFailed, AddressTaken, AddressHeld and TooManyRequests.
   */
  async create(caller: Caller, body: CreateUser, by: Actor): Promise<User> {
    await this.stepUp.assert(caller);
    const { email, name = null, role, org_id: orgId = null } = body;
    this.assertFits(role, orgId);
    const user = await this.transactions.run(by, async (tx) => {
      const org = orgId === null ? null : await this.lockOrg(orgId, tx);
      const made = await this.insert({ id: uuidv7(), email, name, role, orgId }, tx);
      await this.authority.assertSystemAdmin(tx);
      await this.limits.takeMail('invitation', email);
      await this.signups.endAllOf(email, tx);
      if (org !== null) await this.invitations.revokeOf(email, org.id, tx);
      await tx.record('account.created', { userId: made.id, orgId });
      if (org !== null) await tx.record('member.joined', { userId: made.id, orgId, details: { role } });
      await this.mails.accountMade(email, { admin: caller.user.name, orgName: org?.name ?? null }, tx);
      await this.adminMails.peerAppointed(made, null, role, tx);
      return made;
    });
    if (orgId !== null) this.stripeSync.soon({ orgId });
    return user;
  }

  /**
   * Gives another user another address. One that was never confirmed is corrected at once: it has no proven owner, and
   * perhaps no reader. The owner of a confirmed one moves the account themselves, by a link to the new address, in a
   * session of the account. So a stranger who talks an admin into a change gains nothing by it. Throws as
   * `changeOther`, and ValidationFailed, AddressTaken, AddressHeld and TooManyRequests.
   */
  async changeEmail(caller: Caller, id: string, email: string, by: Actor): Promise<void> {
    await this.managedUsers.changeOther(caller, id, by, async (held, tx) => {
      if (held.email === email) throw refused('email', 'already_yours');
      if (held.disabledAt !== null) throw refused('email', 'disabled');
      if (await this.tokens.isFreshlyIssued(email, id, tx)) return held;
      await this.assertFree(email, id, tx);
      await this.limits.takeMail('change', email);
      await (held.emailVerifiedAt === null
        ? this.correct(caller, held, email, tx)
        : this.ask(held, email, tx));
      return held;
    });
    this.stripeSync.soon({ userId: id });
  }

  /** Throws ValidationFailed where a user with a role has to be in an organization. */
  private assertFits(role: Role, orgId: string | null): void {
    if (orgId !== null) return;
    if (this.environment.appMode === 'b2b') throw refused('org_id', 'needed_by_hand');
    if (role === Role.ORG_ADMIN) throw refused('role', 'not_for_organization');
  }

  private async lockOrg(id: string, tx: Transaction): Promise<Org> {
    const org = await this.orgs.lock(id, tx);
    if (!org) throw refused('org_id', 'not_an_organization');
    return org;
  }

  private async insert(
    user: Pick<User, 'id' | 'email' | 'name' | 'role' | 'orgId'>,
    tx: Transaction,
  ): Promise<User> {
    await this.assertFree(user.email, user.id, tx);
    const made = await this.users.insertUnproven(user, tx);
    if (!made) throw new AddressTaken();
    return made;
  }

  private async assertFree(email: string, userId: string, tx: Transaction): Promise<void> {
    const { standing } = await this.users.standingOf(email, userId, tx);
    if (standing === 'taken') throw new AddressTaken();
    if (standing === 'held') throw new AddressHeld();
  }

  /**
   * Moves an account to an address that is as little proven as the one it had, and mails a fresh link there. Whatever
   * the reader of the former one could do ends, and they cannot bring the account back.
   */
  private async correct(caller: Caller, user: User, email: string, tx: Transaction): Promise<void> {
    const { id: userId, orgId, role } = user;
    if (!(await this.users.changeEmail(userId, email, tx, { isProven: false }))) throw new AddressTaken();
    await this.users.dropPassword(userId, tx);
    await this.sessions.endAll(userId, tx);
    await this.tokens.revokeAll(userId, tx);
    await this.signups.endAllOf(email, tx);
    await this.mails.addressCorrected(user.email, await this.users.getReader(userId, tx), tx);
    await this.mails.accountMade(email, { admin: caller.user.name, orgName: null }, tx);
    await this.adminMails.peerAppointed({ ...user, email }, null, role, tx);
    await tx.record('email.changed', { userId, orgId });
  }

  private async ask(user: User, email: string, tx: Transaction): Promise<void> {
    const { id: userId, orgId } = user;
    await this.mails.emailChange(email, user, { standing: 'free', owner: null }, tx);
    await this.mails.emailChangeByAdmin(user, email, tx);
    await tx.record('email.change_requested', { userId, orgId });
  }
}

function refused(field: string, code: ReasonCode): ValidationFailed {
  return new ValidationFailed([fieldError(field, { code })]);
}
