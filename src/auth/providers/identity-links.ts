import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { IdentitiesRepository } from '../../accounts/identities.repository.js';
import type { NewIdentity } from '../../accounts/pending-login.entity.js';
import type { User } from '../../accounts/user.entity.js';
import type { Transaction } from '../../audit/transactions.js';
import { AccountMails } from '../../mail/account-mails.js';

/** Links identities to accounts that were there before. */
@Injectable()
export class IdentityLinks {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly mails: AccountMails,
  ) {}

  /**
   * Links an identity to a user, who is locked, and tells the owner. Returns false when the subject belongs to another
   * user, or the user has another identity at the provider.
   */
  async link(user: User, { issuer, subject, email }: NewIdentity, tx: Transaction): Promise<boolean> {
    const identity = { id: uuidv7(), userId: user.id, provider: issuer, subject, email };
    // Another login of the same person may have linked it meanwhile.
    if (!(await this.identities.insert(identity, tx)))
      return (await this.identities.findUser(issuer, subject, tx))?.id === user.id;
    await this.mails.identityLinked(user, tx);
    await tx.record('identity.linked', { userId: user.id, orgId: user.orgId });
    return true;
  }
}
