import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type IssuedToken, OneTimeTokens } from '../tokens/one-time-tokens.js';
import type { Mail } from './mailer.js';
import { Messages, type SignIn } from './messages.js';
import { Outbox } from './outbox.js';

/** Whom a mail tells of their account. */
interface Owner {
  id: string;
  email: string;
}

/** Mails about an account, each with a link that its token allows to be followed once. */
@Injectable()
export class AccountMails {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly messages: Messages,
    private readonly outbox: Outbox,
  ) {}

  /** Mails a link to set a new password, if the address has an account. */
  async passwordReset(email: string, manager: EntityManager): Promise<void> {
    const issued = await this.tokens.issue(email, 'reset-password', manager);
    if (issued) await this.outbox.post(this.messages.passwordReset(issued), manager);
  }

  /**
   * Mails a link to confirm a new address. An address that has an account already is only told so: a token
   * is issued for it as well and never sent, so that the time does not tell.
   */
  async emailChange(
    newEmail: string,
    { id, email }: Owner,
    isTaken: boolean,
    manager: EntityManager,
  ): Promise<void> {
    const issued = await this.tokens.issueTo(newEmail, id, 'change-email', manager);
    const mail = isTaken ? this.messages.addressTaken(newEmail) : this.messages.emailChange(issued, email);
    await this.outbox.post(mail, manager);
  }

  emailChangeAsked(owner: Owner, manager: EntityManager): Promise<void> {
    return this.alarm(owner, (token) => this.messages.emailChangeAsked(token), manager);
  }

  emailChanged(owner: Owner, manager: EntityManager): Promise<void> {
    return this.alarm(owner, (token) => this.messages.emailChanged(token), manager);
  }

  /** Tells an address that it lost the account, which has gone back to an earlier one. */
  emailChangeUndone(to: string, manager: EntityManager): Promise<void> {
    return this.outbox.post(this.messages.emailChangeUndone(to), manager);
  }

  accountDeleted(to: string, manager: EntityManager): Promise<void> {
    return this.outbox.post(this.messages.accountDeleted(to), manager);
  }

  passwordChanged(owner: Owner, manager: EntityManager): Promise<void> {
    return this.alarm(owner, (token) => this.messages.passwordChanged(token), manager);
  }

  identityLinked(owner: Owner, manager: EntityManager): Promise<void> {
    return this.alarm(owner, (token) => this.messages.identityLinked(token), manager);
  }

  identityUnlinked(owner: Owner, manager: EntityManager): Promise<void> {
    return this.alarm(owner, (token) => this.messages.identityUnlinked(token), manager);
  }

  newSignIn(owner: Owner, signIn: SignIn, manager: EntityManager): Promise<void> {
    return this.alarm(owner, (token) => this.messages.newSignIn(token, signIn), manager);
  }

  /** Tells an owner what happened to the account, with a link that undoes it. */
  private async alarm(
    { id, email }: Owner,
    write: (token: IssuedToken) => Mail,
    manager: EntityManager,
  ): Promise<void> {
    const issued = await this.tokens.issueTo(email, id, 'secure-account', manager);
    await this.outbox.post(write(issued), manager);
  }
}
