import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import { ActingSessionsRepository, type EndedActing } from '../accounts/acting-sessions.repository.js';
import type { FoundSession } from '../accounts/sessions.repository.js';
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
  constructor(
    private readonly sessions: ActingSessionsRepository,
    private readonly environment: Environment,
  ) {}

  /**
   * A session that its check has found, as an admin may use it who acts in it: within one organization or none, which asks for
   * nothing of the session. Costs a statement for these sessions alone. Returns null once the acting has ended; so it has
   * where the user has become a SYSTEM_ADMIN, or left the organization.
   */
  async bounded(found: FoundSession): Promise<FoundSession | null> {
    const { session, user } = found;
    if (session.authMethod !== 'acting') return found;
    const isOn = this.environment.acting === 'on' && user.ownRole !== Role.SYSTEM_ADMIN;
    const acting = isOn ? await this.sessions.find(session.id) : null;
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
    await this.record(await this.sessions.endOfParent(parentId, tx), tx);
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
    await this.record(ended, tx);
    const token = mintToken();
    await this.sessions.goBack(parentId, id, hashToken(token), tx);
    return token;
  }

  /**
   * Ends an acting session together with the admin's own one, whose token the browser no longer has. Does nothing for a session
   * that does not act.
   */
  async endWithParent(acting: { id: string } | { tokenHash: Buffer }, tx: Transaction): Promise<void> {
    const parentId = await this.sessions.lockParentOf(acting, tx);
    if (parentId === null) return;
    const ended = await this.sessions.endOfParent(parentId, tx);
    await this.record(ended, tx);
    const [adminId] = ended.map(({ actorId }) => actorId);
    if (adminId === undefined || !(await this.sessions.endParent(parentId, tx))) return;
    const asAdmin = tx.as({ userId: adminId, adminId: undefined, sessionId: parentId });
    await asAdmin.record('logout', { userId: adminId, details: { session_id: parentId } });
  }

  /** Ends all in which an admin acts, who is no longer one. */
  async endOfAdmin(adminId: string, tx: Transaction): Promise<void> {
    await this.record(await this.sessions.endOfAdmin(adminId, tx), tx);
  }

  /** Ends all that act in an organization, which refuses it from now on. */
  async endInOrg(orgId: string, tx: Transaction): Promise<void> {
    await this.record(await this.sessions.endInOrg(orgId, tx), tx);
  }

  private async record(ended: EndedActing[], tx: Transaction): Promise<void> {
    for (const { id, userId, actorId, orgId } of ended)
      await tx.record('acting.ended', { userId, orgId, details: { session_id: id, admin_id: actorId } });
  }
}
