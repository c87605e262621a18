import { Injectable } from '@nestjs/common';
import {
  FIRST_PASSWORD_SECONDS,
  type IssuedToken,
  OneTimeTokensRepository,
} from '../accounts/one-time-tokens.repository.js';
import type { Transaction } from '../audit/transactions.js';
import type { Role } from '../http/role.js';
import type { Mail } from './mailer.js';
import { type CodeToMail, Messages, type NewLogin, type SecuredAccount } from './messages.js';
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
    private readonly messages: Messages,
    private readonly outbox: OutboxRepository,
  ) {}

  /** Mails a link to set a new password, if the address has an account. */
  async passwordReset(email: string, tx: Transaction): Promise<void> {
    const issued = await this.tokens.issue(email, 'reset-password', tx);
    if (issued) await this.outbox.post(this.messages.passwordReset(issued), tx);
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
    if (issued) await this.outbox.post(this.messages.accountMade(issued, admin, orgName), tx);
  }

  addressCorrected(to: string, tx: Transaction): Promise<void> {
    return this.outbox.post(this.messages.addressCorrected(to), tx);
  }

  emailChangeByAdmin(owner: Owner, newEmail: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.emailChangeByAdmin(token, newEmail), tx);
  }

  /**
   * Mails a link to confirm a new address. The mail to an address that has an account, or is held for one, only says so: a token
   * is issued for it as well and never sent, so that the time does not tell an attacker which addresses have one.
   * `pair` has the token of the link and the code for the browser that asked, if there is one.
   */
  async emailChange(
    newEmail: string,
    { id, email }: Owner,
    standing: 'free' | 'taken' | 'held',
    tx: Transaction,
    pair?: { token: string; code: CodeToMail },
  ): Promise<void> {
    const issued = await this.tokens.issueTo(newEmail, id, 'change-email', tx, pair?.token);
    const mails = {
      free: this.messages.emailChange(issued, email, pair?.code),
      taken: this.messages.addressTaken(newEmail),
      held: this.messages.addressHeld(newEmail),
    };
    await this.outbox.post(mails[standing], tx);
  }

  emailChangeAsked(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.emailChangeAsked(token), tx);
  }

  emailChanged(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.emailChanged(token), tx);
  }

  /** Mails an address that it lost the account, which has gone back to an earlier one. */
  emailChangeUndone(to: string, tx: Transaction): Promise<void> {
    return this.outbox.post(this.messages.emailChangeUndone(to), tx);
  }

  /** Tells an owner who secured the account what was done in it lately. */
  accountSecured(to: string, account: SecuredAccount, tx: Transaction): Promise<void> {
    return this.outbox.post(this.messages.accountSecured(to, account), tx);
  }

  accountDeleted(to: string, tx: Transaction): Promise<void> {
    return this.outbox.post(this.messages.accountDeleted(to), tx);
  }

  accountDeletedByAdmin(to: string, tx: Transaction): Promise<void> {
    return this.outbox.post(this.messages.accountDeletedByAdmin(to), tx);
  }

  passwordChanged(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.passwordChanged(token), tx);
  }

  passwordRemoved(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.passwordRemoved(token), tx);
  }

  identityLinked(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.identityLinked(token), tx);
  }

  identityUnlinked(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.identityUnlinked(token), tx);
  }

  passkeyAdded(owner: Owner, name: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.passkeyAdded(token, name), tx);
  }

  passkeyRemoved(owner: Owner, name: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.passkeyRemoved(token, name), tx);
  }

  secondStepOn(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.secondStepOn(token), tx);
  }

  secondStepOff(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.secondStepOff(token), tx);
  }

  factorsReset(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.factorsReset(token), tx);
  }

  recoveryCodeUsed(owner: Owner, left: number, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.recoveryCodeUsed(token, left), tx);
  }

  recoveryCodesMade(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.recoveryCodesMade(token), tx);
  }

  /** Tells an owner that wrong codes were entered until the service stopped taking them. */
  passwordKnown(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.passwordKnown(token), tx);
  }

  memberJoined(owner: Owner, orgName: string, role: Role, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.memberJoined(token, orgName, role), tx);
  }

  orgFounded(owner: Owner, orgName: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.orgFounded(token, orgName), tx);
  }

  memberLeft(owner: Owner, orgName: string, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.memberLeft(token, orgName), tx);
  }

  /** Tells an owner that wrong proofs were given in one of their sessions until the service stopped taking them. */
  proofsWrong(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.proofsWrong(token), tx);
  }

  newLogin(owner: Owner, login: NewLogin, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.newLogin(token, login), tx);
  }

  /** Tells an owner at an instant of several logins, in place of a mail that waits for the same. */
  async newLogins({ id, email }: Owner, logins: NewLogin[], dueAt: Date, tx: Transaction): Promise<void> {
    const issued = await this.tokens.issueTo(email, id, 'secure-account', tx);
    await this.outbox.postAt(dueAt, this.messages.newLogins(issued, logins), tx);
  }

  /** Tells an owner that a login stopped at its second step. */
  pendingLogin(owner: Owner, tx: Transaction): Promise<void> {
    return this.notify(owner, (token) => this.messages.pendingLogin(token), tx);
  }

  /** Mails an owner what happened to the account, with a link that undoes it. */
  private async notify(
    { id, email }: Owner,
    write: (token: IssuedToken) => Mail,
    tx: Transaction,
  ): Promise<void> {
    const issued = await this.tokens.issueTo(email, id, 'secure-account', tx);
    await this.outbox.post(write(issued), tx);
  }
}
