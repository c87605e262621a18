import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Actor, Audit } from '../audit/audit.js';
import { IncorrectPassword } from '../errors/errors.js';
import { Limits } from '../limits/limits.js';
import { Messages } from '../mail/messages.js';
import { Outbox } from '../mail/outbox.js';
import type { User } from '../users/user.entity.js';
import { UsersRepository } from '../users/users.repository.js';
import type { ChangeEmail } from './auth.dto.js';
import { EmailChangesRepository } from './email-changes.repository.js';
import { OneTimeTokens, type TokenOwner } from './one-time-tokens.js';
import { PasswordService } from './password.service.js';
import { ProvenAddresses } from './proven-addresses.js';

/** The move of an account to another address. It happens when somebody who reads the mail there says so. */
@Injectable()
export class EmailChangeService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly changes: EmailChangesRepository,
    private readonly addresses: ProvenAddresses,
    private readonly passwords: PasswordService,
    private readonly limits: Limits,
    private readonly database: DataSource,
    private readonly messages: Messages,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  /**
   * Mails a link to the new address, and tells the old one. An address that has an account, even the caller's own,
   * gets the same answer and a mail too, so that the caller learns nothing of it. Throws IncorrectPassword.
   */
  async request(caller: User, { new_email: email, current_password }: ChangeEmail, by: Actor): Promise<void> {
    const user = await this.passwords.confirm(caller, current_password);
    await this.limits.take('mailPerAddress', `change ${email}`);
    await this.database.transaction(async (manager) => {
      if (!(await this.users.keepPassword(user, manager))) throw new IncorrectPassword();
      const issued = await this.tokens.issueTo(email, user.id, manager);
      const mail = issued ? this.messages.emailChange(issued) : this.messages.addressTaken(email);
      await this.outbox.post(mail, manager);
      const { id: userId, orgId } = user;
      const alarm = await this.tokens.issueToSecure(userId, user.email, manager);
      await this.outbox.post(this.messages.emailChangeAsked(alarm), manager);
      await this.audit.record({ type: 'email.change_requested', by, userId, orgId }, manager);
    });
  }

  /**
   * Moves an account to the address its token was mailed to, and tells the old one. Throws InvalidToken when the new
   * one has another account by now, whose owner has proven it.
   */
  async complete({ id, email, sentTo }: TokenOwner, by: Actor, manager: EntityManager): Promise<void> {
    await this.addresses.give(id, sentTo, by, manager);
    await this.tokens.revoke(id, 'verify-email', manager);
    await this.tokens.revoke(id, 'reset-password', manager);
    await this.changes.remember(id, email, manager);
    const alarm = await this.tokens.issueToSecure(id, email, manager);
    await this.outbox.post(this.messages.emailChanged(alarm), manager);
  }
}
