import { Injectable } from '@nestjs/common';
import type { ListedSession } from '../accounts/sessions.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UsersRepository } from '../accounts/users.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import type { Actor } from '../http/caller.js';
import { NotFound } from '../http/errors.js';
import type { Page, PageQuery } from '../http/page.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { SessionsService } from '../sessions/sessions.service.js';

/** The sessions of a user, as a SYSTEM_ADMIN sees and ends them. Each method throws NotFound for an unknown user. */
@Injectable()
export class UserSessionsService {
  constructor(
    private readonly users: UsersRepository,
    private readonly sessions: SessionsService,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  async list(userId: string, query: PageQuery): Promise<Page<ListedSession>> {
    const user = await this.users.find(userId);
    if (!user) throw new NotFound();
    return this.sessions.list(user, query);
  }

  /** Ends one session. Throws NotFound when the user has no such session. */
  async endOne(userId: string, id: string, by: Actor): Promise<void> {
    await this.transactions.run(by, async (tx) =>
      this.sessions.endOneOf(await this.lock(userId, tx), id, tx),
    );
  }

  /** Ends all sessions, but of the caller's own the one in use, and returns how many there were. */
  endAll(userId: string, by: Actor): Promise<number> {
    return this.transactions.run(by, async (tx) => {
      const user = await this.lock(userId, tx);
      return this.sessions.endAllOf(user, tx, { but: user.id === by.userId ? by.sessionId : null });
    });
  }

  /** The lock makes a login wait, so that the session it starts comes after those that end, or is one of them. */
  private async lock(id: string, tx: Transaction): Promise<User> {
    const user = await this.users.lock(id, tx);
    await this.authority.assertSystemAdmin(tx);
    if (!user) throw new NotFound();
    return user;
  }
}
