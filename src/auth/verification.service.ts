import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../mail/links.js';
import { Mailer } from '../mail/mailer.js';
import { emailChangedMail, verificationMail } from '../mail/messages.js';
import { UsersRepository } from '../users/users.repository.js';
import { EmailChangeService } from './email-change.service.js';
import { OneTimeTokens } from './one-time-tokens.js';

/** The proof that an address belongs to who signed up with it, or changes to it. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly emailChanges: EmailChangeService,
    private readonly database: DataSource,
    private readonly mailer: Mailer,
    private readonly links: Links,
  ) {}

  /** Verifies the address a token was mailed to, and returns it; an old address is told. Throws InvalidToken. */
  async verify(token: string): Promise<string> {
    const { purpose, email, sentTo } = await this.database.transaction(async (manager) => {
      const owner = await this.tokens.consume(token, ['verify-email', 'change-email'], manager);
      if (owner.purpose === 'change-email') await this.emailChanges.complete(owner, manager);
      else await this.users.markVerified(owner.id, manager);
      return owner;
    });
    if (purpose === 'change-email') await this.mailer.send(emailChangedMail(email));
    return sentTo;
  }

  /** Mails a fresh link, if the address has an account that waits for one. */
  async resend(email: string): Promise<void> {
    const issued = await this.tokens.issue(email, 'verify-email');
    if (issued) await this.mailer.send(verificationMail(issued.sentTo, this.links.verifyEmail(issued.token)));
  }
}
