import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor, Audit } from '../audit/audit.js';
import { IncorrectPassword, InvalidToken } from '../errors/errors.js';
import { Limits } from '../limits/limits.js';
import { SignupsRepository } from '../signups/signups.repository.js';
import type { User } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import { AccountMails } from './account-mails.js';
import type { ChangeEmail } from './auth.dto.js';
import { EmailChangesRepository } from './email-changes.repository.js';
import { OneTimeTokens } from './one-time-tokens.js';
import type { TokenOwner } from './one-time-tokens.repository.js';
import { PasswordService } from './password.service.js';

/** The move of an account to another address. It happens when somebody who reads the mail there says so. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly signups: SignupsRepository,
    private readonly changes: EmailChangesRepository,
    private readonly passwords: PasswordService,
    private readonly limits: Limits,
    private readonly database: DataSource,
    private readonly mails: AccountMails,
    private readonly audit: Audit,
  ) {}

  /**
   * Mails a link to the new address, and tells the old one. An address that has an account, even the caller's own,
   * gets the same answer and a mail too, so that the caller learns nothing of it. Throws IncorrectPassword.
   */
  async request(caller: User, { new_email: email, current_password }: ChangeEmail, by: Actor): Promise<void> {
    const user = await this.passwords.confirm(caller, current_password, by);
    await this.limits.take('mailPerAddress', email);
    await this.database.transaction(async (manager) => {
      if (!(await this.users.keepPassword(user, manager))) throw new IncorrectPassword();
      const { id: userId, orgId } = user;
      await this.mails.emailChange(email, userId, manager);
      await this.mails.emailChangeAsked(user, manager);
      await this.audit.record({ type: 'email.change_requested', by, userId, orgId }, manager);
    });
  }

  /**
   * Moves an account to the address its token was mailed to, and tells the old one. Throws InvalidToken when the new
   * one has another account by now.
   */
  async complete({ id, email, sentTo }: TokenOwner, manager: EntityManager): Promise<void> {
    await this.move(id, sentTo, manager);
    await this.tokens.revoke(id, 'reset-password', manager);
    await this.changes.remember(id, email, sentTo, manager);
    await this.mails.emailChanged({ id, email }, manager);
  }

  /**
   * Brings an account back to the address that a token was mailed to, if it has another one now. Throws InvalidToken
   * when that has another account by now.
   */
  async undo({ id, email, sentTo }: TokenOwner, manager: EntityManager): Promise<void> {
    if (email === sentTo) return;
    await this.move(id, sentTo, manager);
    await this.changes.forgetFrom(id, sentTo, manager);
  }

  /** Gives an account an address whose mail its owner reads. Throws InvalidToken when another account has it. */
  private async move(userId: string, email: string, manager: EntityManager): Promise<void> {
    if (!(await this.users.changeEmail(userId, email, manager))) throw new InvalidToken();
    await this.signups.endAllOf(email, manager);
  }
}
