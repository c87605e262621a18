import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { ActingSessionsRepository, type Presented } from '../accounts/acting-sessions.repository.js';
import { secondStepRoles } from '../accounts/second-step-roles.js';
import type { EndedSession, FoundSession } from '../accounts/sessions.repository.js';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import type { Acting } from '../http/caller.js';
import { SessionRenewed, Unauthenticated } from '../http/errors.js';
import { onlyOf, roleIn } from '../http/org-of-request.js';
import { Role } from '../http/role.js';
import { hashToken, mintToken } from '../secrets/token.js';

/** A session in which an admin acts, with its token. */
export interface StartedActing {
  id: string;
  token: string;
  startedAt: Date;
  expiresAt: Date;
}

/** The sessions in which a SYSTEM_ADMIN acts for a user: as long as the admin's own session lasts, and half an hour at most. */
@Injectable()
export class ActingSessionsService {
  private readonly needsSecondFactor: boolean;

  constructor(
    private readonly sessions: ActingSessionsRepository,
    private readonly environment: Environment,
  ) {
    this.needsSecondFactor = secondStepRoles(environment).includes(Role.SYSTEM_ADMIN);
  }

  /**
   * A session that its check has found, as an admin may use it who acts in it: within one organization or none, which asks for
   * nothing of the session. Costs a statement for these sessions alone. Returns null once the acting has ended; so it has,
   * for good, where the user has become a SYSTEM_ADMIN, left the organization, or is suspended there.
   */
  async bounded(found: FoundSession): Promise<FoundSession | null> {
    if (found.session.authMethod !== 'acting') return found;
    const bounded = await this.within(found);
    if (!bounded) await this.sessions.end(found.session.id);
    return bounded;
  }

  private async within(found: FoundSession): Promise<FoundSession | null> {
    const { session, user } = found;
    const isOn = this.environment.acting === 'on' && user.ownRole !== Role.SYSTEM_ADMIN;
    const acting = isOn ? await this.sessions.find(session.id, this.needsSecondFactor) : null;
    if (!acting) return null;

    const memberships = found.memberships
      .filter(({ id, isSuspended }) => id === acting.orgId && !isSuspended)
      .map((membership) => ({ ...membership, policy: null }));
    if (acting.orgId !== null && memberships.length === 0) return null;
    const { membership, isOrgMissing } = onlyOf(memberships);
    const inside = { ...user, role: roleIn(membership, user.ownRole), orgId: membership?.id ?? null };
    return {
      ...found,
      session: { ...session, acting },
      user: inside,
      memberships,
      membership,
      isOrgMissing,
    };
  }

  /**
   * Starts a session in which the admin of the request acts for a user, who is locked. It takes the place of one that the same
   * session began before. Throws Unauthenticated once the admin's own session has ended.
   */
  async start(userId: string, bounds: Omit<Acting, 'actorId'>, tx: Transaction): Promise<StartedActing> {
    const { sessionId: parentId } = tx.by;
    if (parentId === null || !(await this.sessions.lockParent(parentId, tx))) throw new Unauthenticated();
    await this.recordEnds(await this.sessions.endOfParent(parentId, tx), tx);
    const [id, token] = [uuidv7(), mintToken()];
    const started = { id, userId, tokenHash: hashToken(token), parentId, ...bounds };
    const { createdAt: startedAt, expiresAt } = await this.sessions.insert(started, tx);
    return { id, token, startedAt, expiresAt };
  }

  /**
   * Ends the acting session of the request, and returns a fresh token of the admin's own one. Throws SessionRenewed when another
   * request did so meanwhile, and Unauthenticated when the admin's session has ended.
   */
  async stop(id: string, tx: Transaction): Promise<string> {
    const parentId = await this.sessions.lockParentOf({ id }, tx);
    if (parentId === null || !(await this.sessions.lockParent(parentId, tx))) throw new Unauthenticated();
    const ended = await this.sessions.endOfParent(parentId, tx);
    if (!ended.some((each) => each.id === id)) throw new SessionRenewed();
    await this.recordEnds(ended, tx);
    const token = mintToken();
    await this.sessions.goBack(parentId, id, hashToken(token), tx);
    return token;
  }

  /**
   * Ends an acting session, if it has not ended, together with the admin's own one, whose token the browser no longer has. Does
   * nothing for a session that does not act, and for one from before the admin stopped or acted anew: a copy of it is a thief's.
   */
  async endWithParent(acting: Presented, tx: Transaction): Promise<void> {
    const parentId = await this.sessions.lockParentOf(acting, tx);
    const adminId = parentId && (await this.sessions.holderOf(acting, tx));
    if (!parentId || !adminId) return;
    await this.recordEnds(await this.sessions.endOfParent(parentId, tx), tx);
    if (!(await this.sessions.endParent(parentId, tx))) return;
    const asAdmin = tx.as({ userId: adminId, adminId: undefined, sessionId: parentId });
    await asAdmin.record('logout', { userId: adminId, details: { session_id: parentId } });
  }

  /** Ends all in which an admin acts, who is no longer one. */
  async endOfAdmin(adminId: string, tx: Transaction): Promise<void> {
    await this.recordEnds(await this.sessions.endOfAdmin(adminId, tx), tx);
  }

  /** Ends all that act in an organization, which refuses it from now on. */
  async endInOrg(orgId: string, tx: Transaction): Promise<void> {
    await this.recordEnds(await this.sessions.endInOrg(orgId, tx), tx);
  }

  /** Records, of sessions that have ended, those in which an admin acted, each in its organization. */
  async recordEnds(ended: EndedSession[], tx: Transaction): Promise<void> {
    for (const { id, userId, actorId, orgId } of ended.filter((each) => each.actorId !== null))
      await tx.record('acting.ended', { userId, orgId, details: { session_id: id, admin_id: actorId } });
  }
}
