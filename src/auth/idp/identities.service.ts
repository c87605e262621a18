import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../../audit/audit.js';
import type { Actor } from '../../http/caller.js';
import { LastLoginMethod, NotFound } from '../../http/errors.js';
import { type Page, type PageQuery, pageOf } from '../../http/page.js';
import { AccountMails } from '../../mail/account-mails.js';
import type { User } from '../../users/user.entity.js';
import { UsersRepository } from '../../users/users.repository.js';
import { IdentitiesRepository } from './identities.repository.js';
import type { Identity } from './identity.entity.js';

/** The ways into an account besides its password. */
@Injectable()
export class IdentitiesService {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly users: UsersRepository,
    private readonly mails: AccountMails,
    private readonly database: DataSource,
    private readonly audit: Audit,
  ) {}

  list({ id }: User, query: PageQuery): Promise<Page<Identity>> {
    return pageOf(query, (before, limit) => this.identities.findOf(id, before, limit));
  }

  /**
   * Unlinks an identity and tells the owner, unless it is the last way in; the lock on the user keeps two from going at
   * once.
   */
  async unlink({ id: userId, orgId }: User, id: string, by: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      const user = await this.users.lock(userId, manager);
      if (!user || !(await this.identities.delete(user.id, id, manager))) throw new NotFound();

      const isLockedOut =
        user.passwordChangedAt === null && (await this.identities.countOf(user.id, manager)) === 0;
      if (isLockedOut) throw new LastLoginMethod();
      await this.mails.identityUnlinked(user, manager);
      await this.audit.record({ type: 'identity.unlinked', by, userId, orgId }, manager);
    });
  }
}
