import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Actor, Audit } from '../audit/audit.js';
import { AlignmentService } from '../billing/alignment.service.js';
import { UsersRepository } from '../users/users.repository.js';
import { EmailChangeService } from './email-change.service.js';
import { LinkRequests } from './link-requests.js';
import { OneTimeTokens } from './one-time-tokens.js';

/** The proof that an address belongs to whoever signed up with it, or is changing to it. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly users: UsersRepository,
    private readonly tokens: OneTimeTokens,
    private readonly emailChanges: EmailChangeService,
    private readonly database: DataSource,
    private readonly requests: LinkRequests,
    private readonly audit: Audit,
    private readonly alignment: AlignmentService,
  ) {}

  /**
   * Verifies the address a token was mailed to, and returns it; the address it replaces is notified. Throws
   * InvalidToken.
   */
  async verify(token: string, by: Actor): Promise<string> {
    const { id: userId, sentTo } = await this.database.transaction(async (manager) => {
      const owner = await this.tokens.consume(token, ['verify-email', 'change-email'], manager);
      if (owner.purpose === 'change-email') await this.emailChanges.complete(owner, by, manager);
      else await this.users.markVerified(owner.id, manager);
      const type = owner.purpose === 'change-email' ? 'email.changed' : 'email.verified';
      await this.audit.record({ type, by, userId: owner.id, orgId: owner.orgId }, manager);
      return owner;
    });
    this.alignment.follow({ userId });
    return sentTo;
  }

  /** Mails a fresh link, if the address has an account that waits for one. */
  async resend(email: string, by: Actor): Promise<void> {
    await this.requests.request(email, 'verify-email', by);
  }
}
