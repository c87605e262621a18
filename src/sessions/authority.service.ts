import { Injectable } from '@nestjs/common';
import { MembershipsRepository } from '../accounts/memberships.repository.js';
import { SessionsRepository } from '../accounts/sessions.repository.js';
import { UsersRepository } from '../accounts/users.repository.js';
import type { Transaction } from '../audit/transactions.js';
import type { Caller, CallerUser } from '../http/caller.js';
import { InsufficientRole, Unauthenticated } from '../http/errors.js';
import { callerIn, isActiveMember, NONE, unmetBy } from '../http/org-of-request.js';
import { isAtLeast, Role } from '../http/role.js';
import { ActingSessionsService } from './acting-sessions.service.js';

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
    private readonly memberships: MembershipsRepository,
    private readonly acting: ActingSessionsService,
  ) {}

  /** Throws Unauthenticated when the session of the request has ended. */
  async assertLoggedIn(tx: Transaction): Promise<void> {
    const { sessionId } = tx.by;
    if (sessionId === null || !(await this.sessions.isActive(sessionId, tx))) throw new Unauthenticated();
  }

  /** Throws InsufficientRole unless the caller administers the service, and Unauthenticated once logged out. */
  async assertSystemAdmin(tx: Transaction): Promise<void> {
    const { userId } = tx.by;
    const user = userId === null ? null : await this.users.find(userId, tx);
    if (user?.ownRole !== Role.SYSTEM_ADMIN || user.disabledAt !== null) throw new InsufficientRole();
    await this.assertLoggedIn(tx);
  }

  /** Throws InsufficientRole unless the caller administers an organization, and Unauthenticated once logged out. */
  async assertOrgAdmin({ id }: Pick<CallerUser, 'id'>, orgId: string, tx: Transaction): Promise<void> {
    const role = await this.memberships.roleIn(orgId, id, tx);
    if (role === null || !isAtLeast(role, Role.ORG_ADMIN)) throw new InsufficientRole();
    await this.assertLoggedIn(tx);
  }

  /**
   * Throws Unauthenticated unless a caller has the session, the role and the organization that they had before, and meets
   * still what that asks for.
   */
  async assertUnchanged(caller: Caller): Promise<void> {
    const { session, user, ip } = caller;
    const known = await this.sessions.findAgain(session.id);
    const found = known && (await this.acting.bounded(known));
    const now = found && callerIn({ ...found, ip }, user.orgId ?? NONE);
    if (!now || now.user.role !== user.role || isActiveMember(now) !== isActiveMember(caller))
      throw new Unauthenticated();
    if (unmetBy(caller).length === 0 && unmetBy(now).length > 0) throw new Unauthenticated();
  }
}
