import { Injectable } from '@nestjs/common';
import {
  FIRST_PASSWORD_SECONDS,
  type IssuedToken,
  OneTimeTokensRepository,
} from '../accounts/one-time-tokens.repository.js';
import type { StandingAndOwner } from '../accounts/users.repository.js';
import type { Transaction } from '../audit/transactions.js';
import type { OrgRule } from '../http/org-policy.js';
import type { Role } from '../http/role.js';
import type { Reader } from '../words/languages.js';
import { MailComposer } from './mail-composer.js';
import type { Mail } from './mailer.js';
import type { ActingToMail, CodeToMail, Messages, NewLogin, SecuredAccount } from './messages.js';
import { OutboxRepository } from './outbox.repository.js';

/** The owner of an account, to whom a mail about it goes. */
interface Owner {
  id: string;
  email: string;
}

/** Mails about an account, each with a link that its token allows to be followed once. */
@Injectable()
export class AccountMails {
  constructor(
    private readonly tokens: OneTimeTokensRepository,
    private readonly composer: MailComposer,
    private readonly outbox: OutboxRepository,
  ) {}

  /** Mails a link to set a new password, if the address has an account. */
  async passwordReset(email: string, tx: Transaction): Promise<void> {
    const issued = await this.tokens.issue(email, 'reset-password', tx);
    if (issued) await this.outbox.post(this.composer.for(issued).passwordReset(issued), tx);
  }

  /** Mails a person the link to choose the first password of an account that an admin made. */
  async accountMade(
    email: string,
    { admin, orgName }: { admin: string | null; orgName: string | null },
    tx: Transaction,
  ): Promise<void> {
    const issued = await this.tokens.issue(email, 'reset-password', tx, {
      lifetimeSeconds: FIRST_PASSWORD_SECONDS,
    });
    if (issued) await this.outbox.post(this.composer.for(issued).accountMade(issued, admin, orgName), tx);
  }

  addressCorrected(to: string, reader: Reader, tx: Transaction): Promise<void> {
    return this.outbox.post(this.composer.for(reader).addressCorrected(to), tx);
  }

  emailChangeByAdmin(owner: Owner, newEmail: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.emailChangeByAdmin(token, newEmail), tx);
  }

  /**
   * Mails a link to confirm a new address. The mail to an address that has an account, or is held for one, only says so: a token
   * is issued for it as well and never sent, and all of the mails are written, so that the time does not tell an attacker which addresses have one.
   * `pair` has the token of the link and the code for the browser that asked, if there is one.
   */
  async emailChange(
    newEmail: string,
    { id, email }: Owner,
    { standing, owner }: StandingAndOwner,
    tx: Transaction,
    pair?: { token: string; code: CodeToMail },
  ): Promise<void> {
    const issued = await this.tokens.issueTo(newEmail, id, 'change-email', tx, pair?.token);
    const [toAsker, toOwner] = [this.composer.for(issued), this.composer.for(owner ?? issued)];
    const mails = {
      free: toAsker.emailChange(issued, email, pair?.code),
      taken: toOwner.addressTaken(newEmail),
      held: toAsker.addressHeld(newEmail),
    };
    await this.outbox.post(mails[standing], tx);
  }

  emailChangeAsked(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.emailChangeAsked(token), tx);
  }

  emailChanged(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.emailChanged(token), tx);
  }

  /** Mails an address that it lost the account, which has gone back to an earlier one. */
  emailChangeUndone(to: string, reader: Reader, tx: Transaction): Promise<void> {
    return this.outbox.post(this.composer.for(reader).emailChangeUndone(to), tx);
  }

  /** Tells an owner who secured the account what was done in it lately. */
  accountSecured(to: string, reader: Reader, account: SecuredAccount, tx: Transaction): Promise<void> {
    return this.outbox.post(this.composer.for(reader).accountSecured(to, account), tx);
  }

  accountExported(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.accountExported(token), tx);
  }

  accountDeleted(to: string, reader: Reader, tx: Transaction): Promise<void> {
    return this.outbox.post(this.composer.for(reader).accountDeleted(to), tx);
  }

  accountDeletedByAdmin(to: string, reader: Reader, tx: Transaction): Promise<void> {
    return this.outbox.post(this.composer.for(reader).accountDeletedByAdmin(to), tx);
  }

  passwordChanged(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.passwordChanged(token), tx);
  }

  passwordRemoved(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.passwordRemoved(token), tx);
  }

  /** Tells an owner, as they read until now, in which language mails come from now on, if it is another one. */
  async languageChanged({ id, email }: Owner, former: Reader, next: Reader, tx: Transaction): Promise<void> {
    const tag = this.composer.languageOf(next);
    if (tag === this.composer.languageOf(former)) return;
    const issued = await this.tokens.issueTo(email, id, 'secure-account', tx);
    await this.outbox.post(this.composer.for(former).languageChanged(issued, tag), tx);
  }

  identityLinked(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.identityLinked(token), tx);
  }

  /** Tells an owner of an identity that was linked in one of their sessions, whatever address it has. */
  identityLinkedOnPurpose(owner: Owner, provider: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.identityLinkedOnPurpose(token, provider), tx);
  }

  identityUnlinked(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.identityUnlinked(token), tx);
  }

  passkeyAdded(owner: Owner, name: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.passkeyAdded(token, name), tx);
  }

  passkeyRemoved(owner: Owner, name: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.passkeyRemoved(token, name), tx);
  }

  secondStepOn(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.secondStepOn(token), tx);
  }

  secondStepOff(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.secondStepOff(token), tx);
  }

  factorsReset(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.factorsReset(token), tx);
  }

  factorsResetAsked(owner: Owner, orgName: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.factorsResetAsked(token, orgName), tx);
  }

  recoveryCodeUsed(owner: Owner, left: number, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.recoveryCodeUsed(token, left), tx);
  }

  recoveryCodesMade(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.recoveryCodesMade(token), tx);
  }

  /** Tells an owner that wrong codes were entered until the service stopped taking them. */
  passwordKnown(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.passwordKnown(token), tx);
  }

  /**
   * Not in the language of the organization, which the owner perhaps cannot read: an intruder who joins one of their own would hide
   * this warning, and every other after it.
   */
  async memberJoined({ id, email }: Owner, orgName: string, role: Role, tx: Transaction): Promise<void> {
    const issued = await this.tokens.issueTo(email, id, 'secure-account', tx);
    const reader = { ...issued, orgLocale: null };
    await this.outbox.post(this.composer.for(reader).memberJoined(issued, orgName, role), tx);
  }

  orgFounded(owner: Owner, orgName: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.orgFounded(token, orgName), tx);
  }

  ownPolicyChange(owner: Owner, orgName: string, rules: readonly OrgRule[], tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.ownPolicyChange(token, orgName, rules), tx);
  }

  memberLeft(owner: Owner, orgName: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.memberLeft(token, orgName), tx);
  }

  /** Mails an owner the code that proves in one of their sessions who they are, with a link for where it is not theirs. */
  stepUpCode(owner: Owner, code: CodeToMail, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.stepUpCode(token, code), tx);
  }

  /** Tells an owner that wrong proofs were given in one of their sessions until the service stopped taking them. */
  proofsWrong(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.proofsWrong(token), tx);
  }

  /** Tells an owner that a SYSTEM_ADMIN acts for them from now on. */
  actedForYou(owner: Owner, acting: ActingToMail, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.actedForYou(token, acting), tx);
  }

  newLogin(owner: Owner, login: NewLogin, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.newLogin(token, login), tx);
  }

  /** Tells an owner at an instant of several logins, in place of a mail that waits for the same. */
  async newLogins({ id, email }: Owner, logins: NewLogin[], dueAt: Date, tx: Transaction): Promise<void> {
    const issued = await this.tokens.issueTo(email, id, 'secure-account', tx);
    await this.outbox.postAt(dueAt, this.composer.for(issued).newLogins(issued, logins), tx);
  }

  /** Tells an owner that a login stopped at its second step. */
  pendingLogin(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (messages, token) => messages.pendingLogin(token), tx);
  }

  /** Mails an owner what happened to the account, with a link that undoes it. */
  private async notify(
    { id, email }: Owner,
    write: (messages: Messages, token: IssuedToken) => Mail,
    tx: Transaction,
  ): Promise<void> {
    const issued = await this.tokens.issueTo(email, id, 'secure-account', tx);
    await this.outbox.post(write(this.composer.for(issued), issued), tx);
  }
}
