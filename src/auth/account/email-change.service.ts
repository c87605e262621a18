import { Injectable } from '@nestjs/common';
import { EmailChangesRepository } from '../../accounts/email-changes.repository.js';
import {
  type EmailChangeAsked,
  OneTimeTokensRepository,
  type TokenOwner,
} from '../../accounts/one-time-tokens.repository.js';
import { SignupsRepository } from '../../accounts/signups.repository.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import { StripeSync } from '../../billing/stripe-sync.js';
import type { Actor, Caller, CallerUser } from '../../http/caller.js';
import {
  AddressHasAccount,
  IncorrectPassword,
  InvalidToken,
  ValidationFailed,
  WrongAccount,
} from '../../http/errors.js';
import { fieldError } from '../../http/problem.js';
import { AccountMails } from '../../mail/account-mails.js';
import { Limits } from '../../rate-limits/limits.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import type { ChangeEmail } from '../auth.dto.js';
import { MailedCodes } from '../mailed-codes/mailed-codes.js';
import { PasswordService } from './password.service.js';

/** Moves an account to another address, for a user who is logged in to it and reads the mail there. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokensRepository,
    private readonly signups: SignupsRepository,
    private readonly changes: EmailChangesRepository,
    private readonly codes: MailedCodes,
    private readonly passwords: PasswordService,
    private readonly limits: Limits,
    private readonly stripeSync: StripeSync,
    private readonly mails: AccountMails,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Mails a link to the new address, and tells the old one. An address that has another account gets the same answer
   * and a mail too, so that the caller learns nothing of it. Asked again within a minute, it mails nothing: a double
   * click is no error, and the first link stays good. Throws ValidationFailed for the caller's own address, in whatever
   * letters, and IncorrectPassword. Returns the secret of the browser in which the code does the same as the link; null
   * within that minute.
   */
  async request(
    caller: Caller,
    { new_email: email, current_password }: ChangeEmail,
    presentedToken: string | null,
    by: Actor,
  ): Promise<string | null> {
    if (email === caller.user.email)
      throw new ValidationFailed([fieldError('new_email', { code: 'already_yours' })]);
    const user = await this.passwords.prove(caller, current_password, by);
    return this.transactions.run(by, async (tx) => {
      if (!(await this.users.lockWithPassword(user, tx))) throw new IncorrectPassword();
      await this.authority.assertLoggedIn(tx);
      const { id: userId, orgId } = user;
      if (await this.tokens.isFreshlyIssued(email, userId, tx)) return null;

      await this.limits.takeMail('change', email);
      const standing = await this.users.standingOf(email, userId, tx);
      const { browserToken, mailed } = await this.codes.mint('change-email', presentedToken, tx);
      await this.mails.emailChange(email, user, standing, tx, mailed);
      await this.mails.emailChangeAsked(user, tx);
      await tx.record('email.change_requested', { userId, orgId });
      return browserToken;
    });
  }

  /**
   * The addresses that the caller asked for and has not confirmed. One that has another account is among them like any
   * other, so that the caller learns nothing of that account.
   */
  pending({ id }: CallerUser): Promise<EmailChangeAsked[]> {
    return this.tokens.findEmailChanges(id);
  }

  /** Voids the links to new addresses. */
  cancel({ id: userId, orgId }: CallerUser, by: Actor): Promise<void> {
    return this.transactions.run(by, async (tx) => {
      await this.users.lock(userId, tx);
      await this.authority.assertLoggedIn(tx);
      if (await this.tokens.revoke(userId, 'change-email', tx))
        await tx.record('email.change_canceled', { userId, orgId });
    });
  }

  /**
   * Moves the caller's account to the address a token was mailed to, and tells the old one. The session is asked for
   * because the link alone proves only the mailbox: its reader may never have heard of the account. Throws
   * WrongAccount when the token is another account's, and InvalidToken when the address has another account by now, or
   * is held for one.
   */
  async confirm(caller: CallerUser, token: string, by: Actor): Promise<User> {
    await this.limits.findByToken('verifyPerNetwork', token, by, () =>
      this.tokens.ownerOf(token, ['change-email']),
    );
    const moved = await this.transactions.run(by, async (tx) => {
      const { id, orgId, email, sentTo } = await this.tokens.consume(token, ['change-email'], tx);
      if (id !== caller.id) throw new WrongAccount();
      await this.authority.assertLoggedIn(tx);
      if (!(await this.users.changeEmail(id, sentTo, tx))) throw new InvalidToken();
      if (await this.changes.isHeldForAnother(id, sentTo, tx)) throw new InvalidToken();

      await this.signups.endAllOf(sentTo, tx);
      await this.tokens.revoke(id, 'reset-password', tx);
      await this.changes.remember(id, email, sentTo, tx);
      await this.mails.emailChanged({ id, email }, tx);
      await tx.record('email.changed', { userId: id, orgId });
      return this.users.get(id, tx);
    });
    this.stripeSync.soon({ userId: moved.id });
    return moved;
  }

  /**
   * Brings an account back to the address that a token was mailed to, if it has another one now, and tells that one.
   * Throws AddressHasAccount when another account has it by now: the holder of the token reads the mail of that
   * address, so this tells no stranger that there is an account.
   */
  async undo({ id, orgId, email, sentTo }: TokenOwner, tx: Transaction): Promise<void> {
    if (email === sentTo) return;
    if (!(await this.users.changeEmail(id, sentTo, tx))) throw new AddressHasAccount();
    await this.signups.endAllOf(sentTo, tx);
    await this.changes.remember(id, email, sentTo, tx);
    await this.mails.emailChangeUndone(email, await this.users.getReader(id, tx), tx);
    await tx.record('email.changed', { userId: id, orgId });
  }
}
