import { Injectable } from '@nestjs/common';
import { FactorsRepository } from '../../accounts/factors.repository.js';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import { KnownDevicesRepository } from '../../accounts/known-devices.repository.js';
import { type MembershipOfUser, MembershipsRepository } from '../../accounts/memberships.repository.js';
import type { Purpose } from '../../accounts/one-time-token.entity.js';
import { OneTimeTokensRepository, type TokenOwner } from '../../accounts/one-time-tokens.repository.js';
import { SentInvitationsRepository } from '../../accounts/sent-invitations.repository.js';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UNDOABLE_HOURS, UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { StripeSync } from '../../billing/stripe-sync.js';
import { tryAgain } from '../../database/contention.js';
import type { Actor } from '../../http/caller.js';
import { InvalidToken } from '../../http/errors.js';
import { AccountMails } from '../../mail/account-mails.js';
import { MailComposer } from '../../mail/mail-composer.js';
import { OutboxRepository } from '../../mail/outbox.repository.js';
import { RecentMembershipsService } from '../../orgs/recent-memberships.service.js';
import { Limits } from '../../rate-limits/limits.js';
import { hashToken } from '../../secrets/token.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { AdminMails } from '../../users/admin-mails.js';
import { RecentActsRepository } from '../../users/recent-acts.repository.js';
import { EmailChangeService } from './email-change.service.js';

const PURPOSES: Purpose[] = ['secure-account'];

/** Gives an account back to the owner of its address, after an intruder used it. */
@Injectable()
export class SecureAccountService {
  constructor(
    private readonly users: UsersRepository,
    private readonly identities: IdentitiesRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly emailChanges: EmailChangeService,
    private readonly sessions: SessionsService,
    private readonly devices: KnownDevicesRepository,
    private readonly factors: FactorsRepository,
    private readonly signups: SignupsRepository,
    private readonly invitations: SentInvitationsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly recentMemberships: RecentMembershipsService,
    private readonly acts: RecentActsRepository,
    private readonly adminMails: AdminMails,
    private readonly stripeSync: StripeSync,
    private readonly mails: AccountMails,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
    private readonly limits: Limits,
    private readonly transactions: Transactions,
  ) {}

  /** Secures the account of a token, or ends the signup that it was mailed for. Throws InvalidToken. */
  async secure(token: string, by: Actor): Promise<void> {
    if (await this.endSignup(token, by)) return;
    const { id } = await this.limits.findByToken('verifyPerNetwork', token, by, () =>
      this.tokens.ownerOf(token, PURPOSES),
    );

    const memberships = await tryAgain(() =>
      this.transactions.run(by, (tx) => this.tryToSecure(id, token, tx)),
    );
    for (const { orgId } of memberships) this.stripeSync.soon({ orgId });
  }

  /**
   * Secures the account of a user, and returns the memberships as they were. Returns null when the user has joined another
   * organization than those that are locked.
   */
  private async tryToSecure(id: string, token: string, tx: Transaction): Promise<MembershipOfUser[] | null> {
    // Locked before the user, as everywhere.
    const orgIds = await this.invitations.lockOrganizations(id, tx);
    // Locked before the token is read: another transaction may just be making a change of address that it must undo.
    const user = await this.users.lock(id, tx);
    if (!user) throw new InvalidToken();
    const former = await this.memberships.findOf(id, tx);
    if (!former.every(({ orgId }) => orgIds.includes(orgId))) return null;
    const owner = await this.tokens.consume(token, PURPOSES, tx);

    const acts = await this.acts.findOrgActsOf(id, tx);
    const outcomes = await this.recentMemberships.end(user, former, tx);
    // The admins of an organization that the user has left must not read the events that follow.
    const now = await this.users.get(id, tx);
    await this.emailChanges.undo({ ...owner, orgId: now.orgId }, tx);
    await this.restoreLanguage(user, owner, tx);
    const hasLostFactors = await this.lockOut(now, owner, tx);
    await this.invitations.revoke(id, tx);
    await tx.record('account.secured', { userId: id, orgId: now.orgId });
    const secured = { ...now, email: owner.sentTo };
    const grants = await this.adminMails.accountSecured(secured, await this.memberships.findOf(id, tx), tx);
    const reader = await this.users.getReader(id, tx);
    await this.mails.accountSecured(
      owner.sentTo,
      reader,
      { acts, grants, memberships: outcomes, hasLostFactors },
      tx,
    );
    await this.mails.passwordReset(owner.sentTo, tx);
    return former;
  }

  /**
   * Lets the owner read what follows, where an intruder has lately chosen another language, be it that of an organization: it is
   * that of the first warning again, which was written before. The tag of a language that is the same stays as it is.
   */
  private async restoreLanguage(
    { id }: User,
    { createdAt: mailedAt }: TokenOwner,
    tx: Transaction,
  ): Promise<void> {
    const first = await this.outbox.firstLanguage(id, mailedAt, UNDOABLE_HOURS, tx);
    const present = this.composer.languageOf(await this.users.getReader(id, tx));
    if (first !== null && first !== present) await this.users.describe(id, { locale: first }, tx);
  }

  /** Ends the signup of a token: the verification link serves too, as its reader may never have signed up. */
  private endSignup(token: string, by: Actor): Promise<boolean> {
    return this.transactions.run(by, async (tx) => {
      const id = await this.signups.endByToken(hashToken(token), tx);
      if (id === null) return false;
      await tx.record('signup.ended', { details: { signup_id: id } });
      return true;
    });
  }

  /**
   * Closes every way in that an intruder may have made: a new password opens the account again. The factor or identity
   * that the mail of the link reported goes, however old it is by now. Another older factor stays, or the mailbox would
   * be a second factor; the link that reports it stays too, or an intruder's app could lock the owner out. The mail about
   * a login that lacks its second step is no exception: its reader may be the owner, stopped by an intruder's app.
   * Returns whether an app or a passkey went.
   */
  private async lockOut(
    { id, orgId }: User,
    { sentTo: proven, createdAt: mailedAt }: TokenOwner,
    tx: Transaction,
  ): Promise<boolean> {
    await this.users.dropPassword(id, tx);
    await this.sessions.endAll(id, tx);
    await this.devices.forgetAll(id, tx);
    const removed = await this.factors.deleteMadeLately(UNDOABLE_HOURS, mailedAt, id, tx);
    if (removed.passkeys > 0) await tx.record('passkey.removed', { userId: id, orgId });
    if (removed.hadTotp) await tx.record('second_step.off', { userId: id, orgId });
    const unlinked = await this.identities.removeForeign(id, proven, tx, mailedAt);
    await this.identities.refuseOffered(id, mailedAt, tx);
    if (unlinked > 0) await tx.record('identity.unlinked', { userId: id, orgId });
    await this.tokens.revokeAll(id, tx);
    return removed.hadTotp || removed.passkeys > 0;
  }
}
