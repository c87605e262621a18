import { Injectable } from '@nestjs/common';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import type { Identity } from '../../accounts/identity.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { Transactions } from '../../audit/transactions.js';
import type { Actor, CallerUser } from '../../http/caller.js';
import { NotFound } from '../../http/errors.js';
import { type Page, type PageQuery, pageOf } from '../../http/page.js';
import { AccountMails } from '../../mail/account-mails.js';
import { AuthorityService } from '../../sessions/authority.service.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { LoginMethods } from '../login/login-methods.js';

/** The ways into an account besides its password. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly users: UsersRepository,
    private readonly methods: LoginMethods,
    private readonly sessions: SessionsService,
    private readonly mails: AccountMails,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {}

  list({ id }: CallerUser, query: PageQuery): Promise<Page<Identity>> {
    return pageOf(query, (before, limit) => this.identities.findOf(id, before, limit));
  }

  /**
   * Unlinks an identity and tells the owner, unless it is the last way in; the lock on the user keeps two from going at
   * once. It cannot link itself again, and the other sessions that a login through a provider began end.
   */
  async unlink({ id: userId, orgId }: CallerUser, id: string, by: Actor): Promise<void> {
    await this.transactions.run(by, async (tx) => {
      const user = await this.users.lock(userId, tx);
      await this.authority.assertLoggedIn(tx);
      if (!user || !(await this.identities.remove(user.id, id, tx))) throw new NotFound();
      await this.methods.assertAnyLeft(user, tx);
      await this.sessions.endOthersBegunBy('idp', userId, tx);
      await this.mails.identityUnlinked(user, tx);
      await tx.record('identity.unlinked', { userId, orgId, details: { kept_session_id: by.sessionId } });
    });
  }
}
