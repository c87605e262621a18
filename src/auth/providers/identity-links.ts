import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import type { Identity } from '../../accounts/identity.entity.js';
import type { NewIdentity } from '../../accounts/pending-login.entity.js';
import type { User } from '../../accounts/user.entity.js';
import { UsersRepository } from '../../accounts/users.repository.js';
import { type Transaction, Transactions } from '../../audit/transactions.js';
import type { Actor } from '../../http/caller.js';
import { AccountMails } from '../../mail/account-mails.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { type LinkingSession, LoginFailure } from './login-flows.js';
import type { Profile } from './profile.js';
import type { Provider } from './providers.js';

/** Links identities to accounts that were there before. */
@Injectable()
export class IdentityLinks {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsService,
    private readonly mails: AccountMails,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Links an identity to a user, who is locked, and tells the owner. Returns false when the subject belongs to another
   * user, or the user has another identity at the provider.
   */
  async link(user: User, newIdentity: NewIdentity, tx: Transaction): Promise<boolean> {
    const identity = identityOf(user, newIdentity);
    // Another login of the same person may have linked it meanwhile.
    if (!(await this.identities.insert(identity, tx))) return this.identities.isOf(identity, tx);
    await this.mails.identityLinked(user, tx);
    await tx.record('identity.linked', { userId: user.id, orgId: user.orgId });
    return true;
  }

  /**
   * Links an identity to the account of the session in which its user asked for it, and tells the owner. The provider may
   * know it under any address, or none: nothing is looked up by that, and the account keeps its own. Changes nothing
   * where it is linked already. Throws LoginFailure.
   */
  async linkOnPurpose(
    { title }: Provider,
    { issuer, subject, verifiedEmail: email }: Profile,
    linksTo: LinkingSession,
    presentedToken: string | null,
    by: Actor,
  ): Promise<void> {
    await this.assertNoOther(linksTo, presentedToken, by);
    const { userId, sessionId } = linksTo;
    await this.transactions.run({ ...by, userId, sessionId }, async (tx) => {
      const user = await this.users.lock(userId, tx);
      if (user?.disabledAt) throw new LoginFailure('account_disabled');
      if (!user || !(await this.sessions.isActiveOf(sessionId, userId, tx)))
        throw new LoginFailure('session_ended');

      const identity = identityOf(user, { issuer, subject, email });
      if (await this.identities.insert(identity, tx)) {
        await this.mails.identityLinkedOnPurpose(user, title, tx);
        await tx.record('identity.linked', { userId, orgId: user.orgId });
      } else if (!(await this.identities.isOf(identity, tx))) {
        const hasAnother = await this.identities.isAt(issuer, userId, tx);
        throw new LoginFailure(hasAnother ? 'account_conflict' : 'identity_taken');
      }
    });
  }

  /**
   * The cookie of a session is Strict outside `dev`, and is missing where the provider sends the browser back. Where it
   * comes along, its user must be the one who asked: another person may have logged in meanwhile.
   */
  private async assertNoOther(
    { sessionId }: LinkingSession,
    presentedToken: string | null,
    { ip }: Actor,
  ): Promise<void> {
    const present = presentedToken === null ? null : await this.sessions.resume(presentedToken, ip);
    if (present && present.session.id !== sessionId) throw new LoginFailure('session_ended');
  }
}

function identityOf(
  { id: userId }: User,
  { issuer: provider, subject, email }: NewIdentity,
): Omit<Identity, 'createdAt' | 'user'> {
  return { id: uuidv7(), userId, provider, subject, email };
}
