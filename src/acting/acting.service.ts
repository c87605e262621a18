import { Injectable } from '@nestjs/common';
import { MembershipsRepository } from '../accounts/memberships.repository.js';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import type { User } from '../accounts/user.entity.js';
import { UsersRepository } from '../accounts/users.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import type { Actor, Caller, CallerSession } from '../http/caller.js';
import {
  AccountDisabled,
  InsufficientRole,
  NotActing,
  NotFound,
  OrgRefusesActing,
  SessionRenewed,
  Unauthenticated,
} from '../http/errors.js';
import { NONE } from '../http/org-of-request.js';
import { Role } from '../http/role.js';
import { AccountMails } from '../mail/account-mails.js';
import { ActingSessionsService } from '../sessions/acting-sessions.service.js';
import { AuthorityService } from '../sessions/authority.service.js';
import { SessionMetrics } from '../sessions/session-metrics.js';
import { type ActiveSession, SessionsService } from '../sessions/sessions.service.js';
import type { Act } from './acting.dto.js';

/** The session that a browser has from now on. */
export type ResumedSession = ActiveSession & { token: string };

/** Lets a SYSTEM_ADMIN see what a user sees, and if asked for, act for them. */
@Injectable()
export class ActingService {
  constructor(
    private readonly users: UsersRepository,
    private readonly orgs: OrgsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly acting: ActingSessionsService,
    private readonly sessions: SessionsService,
    private readonly authority: AuthorityService,
    private readonly mails: AccountMails,
    private readonly metrics: SessionMetrics,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Starts to act for a user who belongs to the organization that is named, and is nobody's admin of the service. Throws NotFound,
   * InsufficientRole for a SYSTEM_ADMIN, AccountDisabled, OrgRefusesActing, Unauthenticated once the admin is logged out, and
   * SessionRenewed when another request of that session began to act at the same time.
   */
  async start(
    caller: Caller,
    userId: string,
    { org_id, reason, write }: Act,
    by: Actor,
  ): Promise<ResumedSession> {
    const orgId = org_id === NONE ? null : org_id;
    const { token } = await this.transactions.run(by, async (tx) => {
      const isAllowed = orgId === null || (await this.orgs.lockForActing(orgId, tx));
      // A change of the admin's role or password waits for this, and then ends what has begun.
      if (!(await this.users.keepAsRead(caller.user, tx))) throw new Unauthenticated();
      const user = await this.lockUser(userId, orgId, tx);
      if (!isAllowed) throw new OrgRefusesActing();
      const started = await this.acting.start(userId, { orgId, mayWrite: write }, tx);
      const { id, startedAt, expiresAt } = started;
      await tx.record('acting.started', {
        userId,
        orgId,
        details: { session_id: id, reason, write, expires_at: expiresAt.toISOString() },
      });
      await this.mails.actedForYou(user, { reason, mayWrite: write, startedAt, expiresAt }, tx);
      return started;
    });
    this.metrics.started.inc({ method: 'acting' });
    return this.resume(token, caller.ip);
  }

  /** Goes back to the admin's own session. Throws NotActing, Unauthenticated when that has ended, and SessionRenewed. */
  async stop({ id, acting }: CallerSession, by: Actor): Promise<ResumedSession> {
    if (!acting) throw new NotActing();
    const token = await this.transactions.run(by, (tx) => this.acting.stop(id, tx));
    return this.resume(token, by.ip);
  }

  /** The user, who stays as they are until the session has begun, and belongs to an organization unless it is null. */
  private async lockUser(id: string, orgId: string | null, tx: Transaction): Promise<User> {
    const user = await this.users.lock(id, tx);
    await this.authority.assertSystemAdmin(tx);
    if (!user) throw new NotFound();
    if (user.ownRole === Role.SYSTEM_ADMIN)
      throw new InsufficientRole('Nobody acts for a system admin, nor for themselves.');
    if (user.disabledAt !== null) throw new AccountDisabled();
    const memberships = await this.memberships.findOf(id, tx);
    if (orgId !== null && !memberships.some((each) => each.orgId === orgId && each.suspendedAt === null))
      throw new NotFound();
    return user;
  }

  private async resume(token: string, ip: string | null): Promise<ResumedSession> {
    const active = await this.sessions.resume(token, ip);
    if (!active) throw new SessionRenewed();
    return { ...active, token };
  }
}
