import { Injectable } from '@nestjs/common';
import { FactorsRepository } from '../accounts/factors.repository.js';
import type { User } from '../accounts/user.entity.js';
import type { Transaction } from '../audit/transactions.js';
import { AccountMails } from '../mail/account-mails.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { WithFactor } from './user.view.js';

/** What admins see of the second factors of other users, and how they reset them. */
@Injectable()
export class UserFactors {
  constructor(
    private readonly factors: FactorsRepository,
    private readonly sessions: SessionsService,
    private readonly mails: AccountMails,
  ) {}

  /** Says of each user whether they have a factor. */
  async mark<Marked extends User>(users: Marked[]): Promise<WithFactor<Marked>[]> {
    const holders = await this.factors.findHolders(users.map(({ id }) => id));
    return users.map((user) => ({ ...user, hasFactor: holders.has(user.id) }));
  }

  /**
   * Removes the factors of a user, who is locked and has lost them, and ends the sessions. A mail tells the owner,
   * because a stranger may have asked the admin for it.
   */
  async reset(user: User, tx: Transaction): Promise<void> {
    const { id: userId, orgId } = user;
    await this.factors.deleteAll(userId, tx);
    await this.sessions.endAll(userId, tx);
    await this.mails.factorsReset(user, tx);
    await tx.record('factors.reset', { userId, orgId });
  }
}
