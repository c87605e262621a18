import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Links } from '../mail/links.js';
import { Mailer } from '../mail/mailer.js';
import { verificationMail } from '../mail/messages.js';
import { UsersRepository } from '../users/users.repository.js';
import { OneTimeTokens } from './one-time-tokens.js';

/** The proof that an address belongs to who signed up with it. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly database: DataSource,
    private readonly mailer: Mailer,
    private readonly links: Links,
  ) {}

  /** Verifies the address a token was mailed to, and returns it. Throws InvalidToken. */
  verify(token: string): Promise<string> {
    return this.database.transaction(async (manager) => {
      const { id, email } = await this.tokens.consume(token, 'verify-email', manager);
      await this.users.markVerified(id, manager);
      return email;
    });
  }

  /** Mails a fresh link, if the address has an account that waits for one. */
  async resend(email: string): Promise<void> {
    const issued = await this.tokens.issue(email, 'verify-email');
    if (issued) await this.mailer.send(verificationMail(issued.sentTo, this.links.verifyEmail(issued.token)));
  }
}
