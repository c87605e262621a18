import { Injectable } from '@nestjs/common';
import { SessionsRepository } from '../accounts/sessions.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UsersRepository } from '../accounts/users.repository.js';
import type { Transaction } from '../audit/transactions.js';
import type { Caller, CallerUser } from '../http/caller.js';
import { InsufficientRole, Unauthenticated } from '../http/errors.js';
import { Role } from '../http/role.js';

/**
 * What the guards found of the caller, looked at once more under the locks of a transaction. The request may have waited
 * for them: of two admins who remove each other at once, the second no longer is one; and an owner who secures the
 * account ends the session of an intruder.
 */
@Injectable()
export class AuthorityService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly users: UsersRepository,
  ) {}

  /** Throws Unauthenticated when the session of the request has ended. */
  async assertLoggedIn(tx: Transaction): Promise<void> {
    const { sessionId } = tx.by;
    if (sessionId === null || !(await this.sessions.isActive(sessionId, tx))) throw new Unauthenticated();
  }

  /** Throws InsufficientRole unless the caller administers the service, and Unauthenticated once logged out. */
  assertSystemAdmin(tx: Transaction): Promise<void> {
    return this.assert(tx.by.userId, ({ role }) => role === Role.SYSTEM_ADMIN, tx);
  }

  /** Throws InsufficientRole unless the caller administers an organization, and Unauthenticated once logged out. */
  assertOrgAdmin({ id }: Pick<CallerUser, 'id'>, orgId: string, tx: Transaction): Promise<void> {
    const isAdmin = (user: User) =>
      user.role === Role.SYSTEM_ADMIN || (user.orgId === orgId && user.role === Role.ORG_ADMIN);
    return this.assert(id, isAdmin, tx);
  }

  /** Throws Unauthenticated unless a caller has the session, the role and the organization that they had before. */
  async assertUnchanged(caller: Caller): Promise<void> {
    if (!(await this.sessions.isUnchanged(caller))) throw new Unauthenticated();
  }

  private async assert(id: string | null, isAdmin: (user: User) => boolean, tx: Transaction): Promise<void> {
    const user = id === null ? null : await this.users.find(id, tx);
    if (user === null || user.disabledAt !== null || !isAdmin(user)) throw new InsufficientRole();
    await this.assertLoggedIn(tx);
  }
}
