import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import {
  type InvitationPreview,
  InvitationsRepository,
  type PendingInvitation,
} from '../accounts/invitations.repository.js';
import { MembershipsRepository } from '../accounts/memberships.repository.js';
import { SignupsRepository } from '../accounts/signups.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UsersRepository } from '../accounts/users.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { StripeSync } from '../billing/stripe-sync.js';
import type { Actor, Caller } from '../http/caller.js';
import { InvalidToken, InvitationEmailMismatch, Unauthenticated, ValidationFailed } from '../http/errors.js';
import { fieldError } from '../http/problem.js';
import { PasswordHasher } from '../passwords/password-hasher.js';
import { PasswordPolicy } from '../passwords/password-policy.js';
import { Limits } from '../rate-limits/limits.js';
import { hashToken } from '../secrets/token.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { AdminMails } from '../users/admin-mails.js';
import { MembershipMails } from '../users/membership-mails.js';
import { Languages } from '../words/languages.js';
import type { AcceptInvitation } from './orgs.dto.js';

/** The new member, and whether the account was made for it. */
export interface AcceptedInvitation {
  user: User;
  wasCreated: boolean;
}

/** What the holder of an invitation's link does with it: looks at it, accepts it, or turns it down. */
@Injectable()
export class InvitationLinksService {
  constructor(
    private readonly invitations: InvitationsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly users: UsersRepository,
    private readonly signups: SignupsRepository,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly mails: MembershipMails,
    private readonly adminMails: AdminMails,
    private readonly limits: Limits,
    private readonly stripeSync: StripeSync,
    private readonly authority: AuthorityService,
    private readonly languages: Languages,
    private readonly transactions: Transactions,
  ) {}

  /** What a pending invitation offers. Throws InvalidToken. */
  preview(token: string, by: Actor): Promise<InvitationPreview> {
    return this.limits.findByToken('acceptPerNetwork', token, by, async () => {
      const preview = await this.invitations.findPreview(hashToken(token));
      if (!preview) throw new InvalidToken();
      return preview;
    });
  }

  /**
   * Accepts an invitation for its address. `caller` is the user who is logged in, with the session, if there is one.
   */
  async accept(body: AcceptInvitation, caller: Caller | null, by: Actor): Promise<AcceptedInvitation> {
    const { email, orgId, accountExists } = await this.preview(body.token, by);
    const accepted = await (accountExists
      ? this.acceptWithAccount(body.token, email, caller, by)
      : this.acceptWithNewAccount(body, email, by));
    this.stripeSync.soon({ orgId });
    return accepted;
  }

  /** Turns an invitation down, and the organization's further ones for a while. Throws InvalidToken. */
  async decline(token: string, by: Actor): Promise<void> {
    await this.preview(token, by);
    await this.transactions.run(by, async (tx) => {
      const invitation = await this.lock(hashToken(token), tx);
      if (!invitation) throw new InvalidToken();
      const { id, orgId } = invitation;
      await this.invitations.markDeclined(id, tx);
      await tx.record('invitation.declined', { orgId, details: { invitation_id: id } });
    });
  }

  /**
   * The pending invitation of a token. It and its organization are locked until the transaction ends: before their
   * users, as everywhere. Returns null when it is unknown, expired, revoked or accepted.
   */
  lock(tokenHash: Buffer, tx: Transaction): Promise<PendingInvitation | null> {
    return this.invitations.lockPending(tokenHash, tx);
  }

  /**
   * Makes a user a member with the role of an invitation, which is locked. That of a SYSTEM_ADMIN stays, and so does READONLY
   * where a SYSTEM_ADMIN gave it. Throws AlreadyMember, AlreadyInOrganization and TooManyOrganizations.
   */
  async join(user: User, { id, orgId, role, roleId }: PendingInvitation, tx: Transaction): Promise<User> {
    await this.invitations.markAccepted(id, tx);
    const member = await this.memberships.add(user.id, orgId, { role, roleId }, 'invitation', tx);
    const details = {
      role: member.role,
      joined_by: 'invitation',
      ...(member.customRole && { role_id: member.customRole.id }),
    };
    await tx.record('member.joined', { userId: user.id, orgId, details });
    await this.mails.joined(user, orgId, member.role, tx);
    await this.adminMails.peerAppointed(member, user.ownRole, member.role, tx);
    return member;
  }

  /** The holder of the link has proven the address, and the caller has proven to be its user by logging in. */
  private async acceptWithAccount(
    token: string,
    email: string,
    caller: Caller | null,
    by: Actor,
  ): Promise<AcceptedInvitation> {
    if (!caller) throw new Unauthenticated();
    if (caller.user.email !== email) throw new InvitationEmailMismatch();

    return this.transactions.run(by, async (tx) => {
      const invitation = await this.lock(hashToken(token), tx);
      const user = await this.users.lockByEmail(email, tx);
      if (user?.id !== caller.user.id || user.disabledAt !== null) throw new Unauthenticated();
      await this.authority.assertLoggedIn(tx);
      if (invitation?.email !== user.email) throw new InvalidToken();
      const member = await this.join(user, invitation, tx.as({ userId: user.id }));
      return { user: member, wasCreated: false };
    });
  }

  private async acceptWithNewAccount(
    { token, password, name = null, time_zone: timeZone = null }: AcceptInvitation,
    email: string,
    by: Actor,
  ): Promise<AcceptedInvitation> {
    if (!password) throw new ValidationFailed([fieldError('password', { code: 'needed_for_account' })]);
    await this.policy.refuseWeak('password', password, { email, name });
    const passwordHash = await this.passwords.hash(password, by);

    return this.transactions.run(by, async (tx) => {
      const invitation = await this.lock(hashToken(token), tx);
      if (invitation?.email !== email) throw new InvalidToken();
      const locale = this.languages.keep(by.languages);
      const made = { id: uuidv7(), email, name, locale, timeZone, passwordHash };
      const user = await this.users.insertVerified(made, tx);
      if (!user) throw new InvalidToken();
      await tx.record('account.created', { userId: user.id });
      await this.signups.endAllOf(email, tx);
      const member = await this.join(user, invitation, tx);
      return { user: member, wasCreated: true };
    });
  }
}
