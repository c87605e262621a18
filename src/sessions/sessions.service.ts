import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { type Act, Audit } from '../audit/audit.js';
import { Environment } from '../config/environment.js';
import type { Actor, CallerUser, Client } from '../http/caller.js';
import { NotFound, Unauthenticated } from '../http/errors.js';
import { type Page, type PageQuery, pageOf } from '../http/page.js';
import { hashToken, mintToken } from '../secrets/token.js';
import type { AuthMethod, Session } from './session.entity.js';
import { SessionActivity } from './session-activity.js';
import { SessionLookups } from './session-lookups.js';
import { type ActiveSession, SessionsRepository } from './sessions.repository.js';

/** A session that has just started, and its token, which is not stored anywhere. */
export interface StartedSession {
  session: Session;
  token: string;
}

/** The life of a session: started at login, resumed by each request, ended at logout. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly lookups: SessionLookups,
    private readonly activity: SessionActivity,
    private readonly environment: Environment,
    private readonly database: DataSource,
    private readonly audit: Audit,
  ) {}

  /** Starts a session. Returns null when the user was disabled, or changed the password, since they were read. */
  async start(
    user: CallerUser,
    authMethod: AuthMethod,
    { ip, userAgent }: Client,
    manager: EntityManager,
  ): Promise<StartedSession | null> {
    const token = mintToken();
    const session = await this.sessions.insert(
      {
        id: uuidv7(),
        user,
        tokenHash: hashToken(token),
        authMethod,
        ip,
        userAgent,
        maxAgeSeconds: this.environment.sessionCookieMaxAge,
      },
      manager,
    );
    return session && { session, token };
  }

  /**
   * The active session of a token, with its user. Returns null when unknown, ended or expired, or the user disabled.
   */
  async resume(token: string): Promise<ActiveSession | null> {
    const active = await this.lookups.find(hashToken(token));
    if (active?.isSeenLongAgo) this.activity.note(active.session.id);
    return active;
  }

  list(user: CallerUser, query: PageQuery): Promise<Page<Session>> {
    return pageOf(query, (before, limit) => this.sessions.findActiveOf(user.id, before, limit));
  }

  /** Ends the session of whoever logs out. One that has ended already stays as it is, and leaves no second event. */
  async end({ id: userId, orgId }: CallerUser, { id }: Session, by: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      const isEnded = await this.sessions.invalidateOne(userId, id, manager);
      const act: Act = { type: 'logout', by, userId, orgId, details: { session_id: id } };
      if (isEnded) await this.audit.record(act, manager);
    });
  }

  /** Ends the session of a token, if there is one. */
  endByToken(token: string, manager: EntityManager): Promise<void> {
    return this.sessions.invalidate({ tokenHash: hashToken(token) }, manager);
  }

  /** Ends a session, whosever it is, if it has not ended. */
  endById(id: string, manager: EntityManager): Promise<void> {
    return this.sessions.invalidate({ id }, manager);
  }

  /** Ends one session of a user. */
  async endOne({ id: userId, orgId }: CallerUser, id: string, by: Actor): Promise<void> {
    await this.database.transaction(async (manager) => {
      if (!(await this.sessions.invalidateOne(userId, id, manager))) throw new NotFound();
      const details = { session_id: id };
      await this.audit.record({ type: 'session.ended', by, userId, orgId, details }, manager);
    });
  }

  /** Ends the sessions of a user and returns how many there were. */
  endAll(userId: string, manager: EntityManager): Promise<number> {
    return this.sessions.invalidateAll(userId, manager);
  }

  /** Ends the sessions of a user except one, and returns how many there were. */
  endAllBut({ userId, id }: Session, manager: EntityManager): Promise<number> {
    return this.sessions.invalidateAll(userId, manager, id);
  }

  /**
   * Ends all sessions but the one in which somebody asks for it, and returns how many there were. Recorded only if
   * there were any: this has no limit, and must not fill the audit log.
   */
  endOthers({ id: userId, orgId }: CallerUser, current: Session, by: Actor): Promise<number> {
    return this.database.transaction(async (manager) => {
      const ended = await this.endAllBut(current, manager);
      const act: Act = { type: 'sessions.ended', by, userId, orgId, details: { ended } };
      if (ended > 0) await this.audit.record(act, manager);
      return ended;
    });
  }

  /** Gives a session a fresh token; the old one is refused from then on. */
  async renew(session: Session, manager: EntityManager): Promise<string> {
    const token = mintToken();
    const isRenewed = await this.sessions.replaceToken(session.id, hashToken(token), manager);
    if (!isRenewed) throw new Unauthenticated();
    return token;
  }
}
