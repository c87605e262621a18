import { Injectable } from '@nestjs/common';
import { uuidv7 } from 'uuidv7';
import type { SecondFactor, StepUpMethod } from '../accounts/factors.js';
import { PendingLoginsRepository } from '../accounts/pending-logins.repository.js';
import type { Session } from '../accounts/session.entity.js';
import {
  type FoundSession,
  type InsertedSession,
  type ListedSession,
  type NewSession,
  SessionsRepository,
} from '../accounts/sessions.repository.js';
import { type Transaction, Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { Lookups } from '../database/lookups.js';
import type { Actor, AuthMethod, Caller, CallerSession, CallerUser } from '../http/caller.js';
import { NotFound, SessionRenewed } from '../http/errors.js';
import { type Page, type PageQuery, pageOf } from '../http/page.js';
import { knowsClients } from '../http/trusted-proxies.js';
import { hashToken, mintToken } from '../secrets/token.js';
import { ActingSessionsService } from './acting-sessions.service.js';
import { AuthorityService } from './authority.service.js';
import { SessionActivity } from './session-activity.js';

/** A session that has just started, and its token, which is not stored anywhere. */
export interface StartedSession {
  session: Session;
  token: string;
}

/** How users have proved at a login who they are. */
export interface LoginProof {
  authMethod: AuthMethod;
  aal: Session['aal'];
  /** When, if that was before the login: an identity provider may have known its user already. */
  provenAt?: Date | null;
}

/** A session that a login has just started. */
export type LoggedIn = StartedSession & InsertedSession & Pick<Caller, 'ip'>;

/** A session that is active, and where the request comes from. */
export type ActiveSession = FoundSession & Caller;

/** Whose sessions they are, and in which organization it is recorded. */
type SessionOwner = Pick<CallerUser, 'id' | 'orgId'>;

/** The life of a session: started at login, resumed by each request, ended at logout. */
@Injectable()
export class SessionsService {
  private readonly lookups: Lookups<FoundSession>;
  private readonly accessLookups: Lookups<FoundSession>;

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly acting: ActingSessionsService,
    private readonly activity: SessionActivity,
    private readonly pendingLogins: PendingLoginsRepository,
    private readonly environment: Environment,
    private readonly authority: AuthorityService,
    private readonly transactions: Transactions,
  ) {
    this.lookups = new Lookups((hashes) => sessions.findActive(hashes, false));
    this.accessLookups = new Lookups((hashes) => sessions.findActive(hashes, true));
  }

  /** Starts a session, of the level that a factor or a strong provider gives it, of a user who is locked as they were read. */
  async start(
    user: CallerUser,
    { authMethod, aal, raisedBy, provenAt = null }: LoginProof & Pick<NewSession, 'raisedBy'>,
    tx: Transaction,
  ): Promise<LoggedIn> {
    const { ip, userAgent } = tx.by;
    const token = mintToken();
    const started = await this.sessions.insert(
      {
        id: uuidv7(),
        user,
        tokenHash: hashToken(token),
        authMethod,
        aal,
        provenAt,
        raisedBy,
        ip,
        userAgent,
        maxAgeSeconds: this.environment.sessionCookieMaxAge,
      },
      tx,
    );
    return { ...started, token, ip: this.clientAt(ip) };
  }

  /**
   * The active session of a token, with its user, in a request from an address. Returns null when unknown, ended or expired, or the user disabled.
   */
  async resume(
    token: string,
    ip: string | null,
    { readsAccess = false } = {},
  ): Promise<ActiveSession | null> {
    const lookups = readsAccess ? this.accessLookups : this.lookups;
    const known = await lookups.find(hashToken(token));
    const found = known && (await this.acting.bounded(known));
    if (found?.isSeenLongAgo) this.activity.note(found.session.id);
    return found && { ...found, ip: this.clientAt(ip) };
  }

  /** Behind a proxy that no setting names, all clients would seem to have its address. */
  private clientAt(ip: string | null): string | null {
    return knowsClients(this.environment) ? ip : null;
  }

  list(user: Pick<CallerUser, 'id'>, query: PageQuery): Promise<Page<ListedSession>> {
    return pageOf(query, (before, limit) => this.sessions.findActiveOf(user.id, before, limit));
  }

  /** Ends the session of a user who logs out. One that has ended already stays as it is, and leaves no second event. */
  async end(
    { id: userId, orgId }: CallerUser,
    { id, acting }: Pick<CallerSession, 'id' | 'acting'>,
    by: Actor,
  ): Promise<void> {
    await this.transactions.run(by, async (tx) => {
      if (acting) return this.acting.endWithParent({ id }, tx);
      const isEnded = (await this.sessions.invalidateOne(userId, id, tx)) !== null;
      if (isEnded) await tx.record('logout', { userId, orgId, details: { session_id: id } });
    });
  }

  /** Ends the session of a token, if there is one, and that of an admin who acts in it. */
  endByToken(token: string, tx: Transaction): Promise<void> {
    return this.endReplaced({ tokenHash: hashToken(token) }, tx);
  }

  /** Ends a session, whosever it is, if it has not ended, and that of an admin who acts in it. */
  endById(id: string, tx: Transaction): Promise<void> {
    return this.endReplaced({ id }, tx);
  }

  /** Ends one session of a user who asks for it. Throws NotFound. */
  async endOne(user: CallerUser, id: string, by: Actor): Promise<void> {
    await this.transactions.run(by, (tx) => this.endOneOf(user, id, tx));
  }

  /** Ends one session of a user, and records it. Throws NotFound. */
  async endOneOf({ id: userId, orgId }: SessionOwner, id: string, tx: Transaction): Promise<void> {
    const ended = await this.sessions.invalidateOne(userId, id, tx);
    if (ended === null) throw new NotFound();
    if (ended.actorId !== null) return this.acting.recordEnds([ended], tx);
    await tx.record('session.ended', { userId, orgId, details: { session_id: id } });
  }

  /**
   * Ends the sessions of a user, all but one if one is named, and the pending logins; returns how many sessions there
   * were. Recorded only if there were any: a user may ask without a limit, and must not fill the audit log.
   */
  async endAllOf({ id: userId, orgId }: SessionOwner, tx: Transaction, { but }: { but: string | null }) {
    const ended =
      but === null ? await this.endAll(userId, tx) : await this.endAllBut({ userId, id: but }, tx);
    const details = { ended, ...(but !== null && { kept_session_id: but }) };
    if (ended > 0) await tx.record('sessions.ended', { userId, orgId, details });
    return ended;
  }

  /** Ends the sessions of a user, and the pending logins. Returns how many sessions there were. */
  async endAll(userId: string, tx: Transaction): Promise<number> {
    const ended = await this.sessions.invalidateAll(userId, tx);
    await this.acting.recordEnds(ended, tx);
    await this.pendingLogins.delete({ userId }, tx);
    return ended.length;
  }

  /** Ends the sessions of a user except one, and the pending logins. Returns how many sessions there were. */
  async endAllBut({ userId, id }: Pick<Session, 'userId' | 'id'>, tx: Transaction): Promise<number> {
    const ended = await this.sessions.invalidateAll(userId, tx, id);
    await this.acting.recordEnds(ended, tx);
    await this.pendingLogins.delete({ userId }, tx);
    return ended.length;
  }

  /**
   * Ends what one way to log in began, once that way is removed: the sessions of a user, who is locked, except that of the
   * request, and the pending logins.
   */
  async endOthersBegunBy(authMethod: AuthMethod, userId: string, tx: Transaction): Promise<void> {
    await this.sessions.invalidateProvenBy(authMethod, userId, tx);
    await this.pendingLogins.delete({ userId, authMethod }, tx);
  }

  /** Ends what a factor began or raised, once it is removed: the sessions of a user, who is locked, but that of the request. */
  async endOthersRaisedBy(factor: SecondFactor, userId: string, tx: Transaction): Promise<void> {
    await this.sessions.invalidateProvenBy(factor, userId, tx);
  }

  /** Lowers what a factor raised, once a user, who is locked, has none: `aal` 2 would say that there is one. */
  async lowerAll(userId: string, tx: Transaction): Promise<void> {
    await this.sessions.lower(userId, tx);
  }

  /** Whether a session is an active one of a user. */
  isActiveOf(id: string, userId: string, tx: Transaction): Promise<boolean> {
    return this.sessions.isActiveOf(id, userId, tx);
  }

  /** Whether a session is an active one of a user, who proved within the last ten minutes who they are. */
  isRecent(id: string, userId: string, tx: Transaction): Promise<boolean> {
    return this.sessions.isRecent(id, userId, tx);
  }

  /** Whether a proof of an instant is less than ten minutes old. */
  isRecentProof(provenAt: Date, tx: Transaction): Promise<boolean> {
    return this.sessions.isRecentProof(provenAt, tx);
  }

  /** Ends all sessions of a user but the one in which they ask for it, and returns how many there were. */
  endOthers(user: CallerUser, current: Pick<CallerSession, 'id'>, by: Actor): Promise<number> {
    return this.transactions.run(by, (tx) => this.endAllOf(user, tx, { but: current.id }));
  }

  /**
   * Gives a fresh token to a session whose user has just proved who they are; the old one is refused from then on, so
   * that a stolen copy of it gains nothing. A factor raises the level; a proof without one, null, lowers none. Throws
   * SessionRenewed when another request did so meanwhile: of two fresh tokens the browser could keep the wrong one.
   */
  async renew(session: Caller['session'], method: StepUpMethod, tx: Transaction): Promise<StartedSession> {
    const token = mintToken();
    const renewed = await this.sessions.renew(session, hashToken(token), method, tx);
    if (!renewed) {
      await this.authority.assertLoggedIn(tx);
      throw new SessionRenewed();
    }
    return { session: renewed, token };
  }

  /** Whether a token was replaced within the last minute: a request of another tab may have been under way with it. */
  isJustReplaced(token: string): Promise<boolean> {
    return this.sessions.isJustReplaced(hashToken(token));
  }

  /** The browser has another session from now on: of one that acts, it will never hold the token of the admin's own again. */
  private async endReplaced(which: { tokenHash: Buffer } | { id: string }, tx: Transaction): Promise<void> {
    const isOwn = await this.sessions.invalidate(which, tx);
    if (!isOwn) await this.acting.endWithParent(which, tx);
  }
}
