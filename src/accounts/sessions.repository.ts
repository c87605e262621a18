import { Injectable } from '@nestjs/common';
import pg, { type CustomTypesConfig, type QueryConfig } from 'pg';
import { DataSource, IsNull, LessThan, Not, Raw } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { LookupConnections } from '../database/lookup-connections.js';
import { longEnough } from '../database/lookups.js';
import type {
  Acting,
  AuthMethod,
  Caller,
  CallerMembership,
  CallerSession,
  CallerUser,
  SessionProof,
} from '../http/caller.js';
import { onlyOf, roleIn } from '../http/org-of-request.js';
import { NO_POLICY } from '../http/org-policy.js';
import { type OwnRole, Role } from '../http/role.js';
import { WHOLE_ROLE } from './custom-roles.repository.js';
import { isSecondFactor, type SecondFactor, type StepUpMethod } from './factors.js';
import { POLICY } from './orgs.repository.js';
import { secondStepRoles } from './second-step-roles.js';
import { Session } from './session.entity.js';
import { admits } from './subscription.js';
import { type JoinedUser, joinedUser } from './users.repository.js';

/** What is known of a session when it starts. */
export interface NewSession {
  id: string;
  user: CallerUser;
  tokenHash: Buffer;
  authMethod: AuthMethod;
  aal: Session['aal'];
  /** When the user proved who they are; null for now. */
  provenAt: Date | null;
  raisedBy: SecondFactor | null;
  ip: string | null;
  userAgent: string | null;
  maxAgeSeconds: number;
}

/** A session that has just started, and the organizations of its user. */
export interface InsertedSession {
  session: Session;
  proof: SessionProof;
  memberships: CallerMembership[];
}

/** A session with its user, as the check of each request finds them: in their only organization, if there is one. */
export interface FoundSession extends Omit<Caller, 'ip'> {
  /** Whether `lastSeenAt` is more than a minute old. */
  isSeenLongAgo: boolean;
  /** When this was found, by the database's clock. */
  checkedAt: Date;
}

/** A session that has just ended, and who acted in it: null for the user. */
export interface EndedSession {
  id: string;
  userId: string;
  actorId: string | null;
  /** The organization of one who acted. */
  orgId: string | null;
}

export const ENDED = `id, user_id AS "userId", actor_id AS "actorId", acting_org_id AS "orgId"`;

/** A session, and who acts for the user in it. */
export type ListedSession = Session & Pick<CallerSession, 'acting'>;

const COLUMNS = `
  id, user_id AS "userId", auth_method AS "authMethod", aal, ip, user_agent AS "userAgent", created_at AS "createdAt",
  authenticated_at AS "authenticatedAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt"`;

/** When a session was seen is noted once in so long. */
const SIGHTING_SECONDS = 60;

/** How long a proof of who the user is lets them do what is dangerous. */
const RECENT_MINUTES = 10;

const isRecentSql = (provenAt: string) => `${provenAt} > now() - interval '${RECENT_MINUTES} minutes'`;

/** How long a request with the token before may have been under way. */
const RENEWAL_SECONDS = 60;

/** What is read of a session, and of one organization of its user: a row for each of them, and one for a user of none. */
const ROW = `
  s.id, s.auth_method, s.aal, s.ip, s.user_agent, s.created_at, s.authenticated_at, s.last_seen_at, s.expires_at,
  s.proven_by, s.longest_idle, now() AS checked_at,
  m.org_id, o.name AS org_name, m.role AS org_role, m.suspended_at IS NOT NULL AS is_suspended, ${POLICY} AS policy`;

const ORGANIZATIONS = `LEFT JOIN memberships m ON m.user_id = s.user_id LEFT JOIN organizations o ON o.id = m.org_id`;

/** The custom role of a row, and whether its organization has a subscription that admits, and whether the user has one. */
const accessSql = (graceDays: number) => `
  ${WHOLE_ROLE('m')} AS custom_role,
  EXISTS (SELECT FROM billing_customers c WHERE c.org_id = m.org_id AND ${admits(graceDays)}) AS is_org_subscribed,
  EXISTS (SELECT FROM billing_customers c WHERE c.user_id = s.user_id AND ${admits(graceDays)}) AS is_user_subscribed`;

/** The one statement behind every authenticated request, for one token or for many. */
const resumeWhere = (condition: string, columns: string) => `
  SELECT encode(s.token_hash, 'hex') AS token_hash, ${columns}, ${ROW}
    FROM sessions s JOIN users u ON u.id = s.user_id ${ORGANIZATIONS}
   WHERE ${condition}
     AND s.invalidated_at IS NULL AND s.expires_at > now() AND u.disabled_at IS NULL`;

// biome-ignore lint/suspicious/noExplicitAny: a row as pg gives it, typed where it is read.
type Row = any;

/** The statement for one token, and the one for many. */
interface Resume {
  one: QueryConfig;
  many: QueryConfig;
}

/** By the alphabet of no language in particular. */
const byName = new Intl.Collator('und').compare;

/** Reads instants in a third of the time that pg takes: every request reads eight of them. */
const TYPES: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.TIMESTAMPTZ && format !== 'binary'
      ? (text: string) => new Date(text)
      : pg.types.getTypeParser(oid, format),
};

@Injectable()
export class SessionsRepository {
  private readonly plain: Resume;
  private readonly withAccess: Resume;
  private readonly resumeById: QueryConfig;
  private readonly user: JoinedUser;
  private readonly strongRoles: readonly Role[];

  constructor(
    private readonly database: DataSource,
    private readonly lookups: LookupConnections,
    environment: Environment,
  ) {
    this.strongRoles = secondStepRoles(environment);
    this.user = joinedUser(database);
    const { columns } = this.user;
    const access = `${columns}, ${accessSql(environment.stripePastDueGraceDays)}`;
    this.plain = {
      one: statement('s.token_hash = $1', columns, 'resume-session'),
      many: statement('s.token_hash = ANY ($1)', columns, 'resume-sessions'),
    };
    this.withAccess = {
      one: statement('s.token_hash = $1', access, 'resume-session-access'),
      many: statement('s.token_hash = ANY ($1)', access, 'resume-sessions-access'),
    };
    this.resumeById = statement('s.id = $1', columns, 'resume-session-by-id');
  }

  /**
   * The active sessions of ten tokens at most, in their order, null for each that has none.
   */
  async findActive(tokenHashes: Buffer[], readsAccess: boolean): Promise<(FoundSession | null)[]> {
    const { one, many } = readsAccess ? this.withAccess : this.plain;
    // A single token is not put into a list, which costs more to send and to search.
    const statement =
      tokenHashes.length === 1
        ? { ...one, values: tokenHashes }
        : { ...many, values: [longEnough(tokenHashes)] };
    const rows = await this.lookups.query(statement);
    const rowsByHash = new Map<string, Row[]>();
    for (const row of rows) {
      const others = rowsByHash.get(row.token_hash);
      if (others) others.push(row);
      else rowsByHash.set(row.token_hash, [row]);
    }
    return tokenHashes.map((tokenHash) => this.read(rowsByHash.get(tokenHash.toString('hex')) ?? []));
  }

  /** A session that is active still. */
  async findAgain(id: string): Promise<FoundSession | null> {
    return this.read(await this.lookups.query({ ...this.resumeById, values: [id] }));
  }

  /**
   * The session of its rows. Returns null for none, and for a session without the second factor that the own role of its
   * user asks for: a role that is raised, or a setting that changes, binds at once. What the roles of organizations ask for
   * binds the requests into them alone.
   */
  private read(rows: Row[]): FoundSession | null {
    const [row] = rows;
    if (!row) return null;
    const user = this.user.read(row);
    const isStrongEnough = row.aal === 2 || !this.strongRoles.includes(user.ownRole);
    return isStrongEnough ? foundSession(row, user, this.membershipsOf(rows, user.ownRole)) : null;
  }

  /** The memberships of a user, by the names of the organizations. */
  private membershipsOf(rows: Row[], ownRole: OwnRole): CallerMembership[] {
    if (rows[0].org_id === null) return [];
    const memberships = rows.map((row) => this.membership(row, ownRole));
    return memberships.sort((one, other) => byName(one.name, other.name) || (one.id < other.id ? -1 : 1));
  }

  /**
   * A membership, with what binds there: a role asks for a second factor as an organization does. No organization binds a
   * SYSTEM_ADMIN.
   */
  private membership(row: Row, ownRole: OwnRole): CallerMembership {
    const { org_id: id, org_name: name, org_role: role, is_suspended: isSuspended, policy } = row;
    const asked: Pick<CallerMembership, 'customRole' | 'isSubscribed'> = {
      customRole: row.custom_role,
      isSubscribed: row.is_org_subscribed,
    };
    if (ownRole === Role.SYSTEM_ADMIN) return { id, name, role, isSuspended, ...asked, policy: null };
    const isStrong = this.strongRoles.includes(role);
    const inForce = isStrong ? { ...NO_POLICY, ...policy, secondFactor: true } : policy;
    return { id, name, role, isSuspended, ...asked, policy: inForce };
  }

  /**
   * Inserts a session of a user who is locked, and notes the login. A proof from the future, by the clock of a provider, is
   * one of now. Since an older one, the user may have paused: a provider that asks nothing ends no pause.
   */
  async insert(session: NewSession, tx: Transaction): Promise<InsertedSession> {
    const { id, user, tokenHash, authMethod, aal, raisedBy, provenAt, ip, userAgent, maxAgeSeconds } =
      session;
    const rows = await tx.query<Row[]>(
      `WITH noted AS (
         INSERT INTO last_logins (user_id, logged_in_at) VALUES ($2, now())
         ON CONFLICT (user_id) DO UPDATE SET logged_in_at = excluded.logged_in_at
       ), s AS (
         INSERT INTO sessions (id, user_id, token_hash, auth_method, aal, raised_by, ip, user_agent, expires_at,
                               authenticated_at, longest_idle, proven_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9), least(coalesce($10, now()), now()),
                 coalesce(extract(epoch FROM now() - least($10, now()))::int, 0), array_remove(ARRAY[$6], NULL))
         RETURNING *
       )
       SELECT ${ROW} FROM s ${ORGANIZATIONS}`,
      [id, user.id, tokenHash, authMethod, aal, raisedBy, ip, userAgent, maxAgeSeconds, provenAt],
    );
    return {
      session: { ...sessionOf(rows[0]), userId: user.id, invalidatedAt: null },
      proof: proofOf(rows[0]),
      memberships: this.membershipsOf(rows, user.ownRole),
    };
  }

  /** The newest sessions of a user that started after an instant, ended ones included. */
  findStartedAfter(
    instant: Date,
    userId: string,
    limit: number,
    tx: Transaction,
  ): Promise<Pick<Session, 'userAgent' | 'ip' | 'createdAt'>[]> {
    return tx.query(
      `SELECT user_agent AS "userAgent", ip, created_at AS "createdAt" FROM sessions
        WHERE user_id = $1 AND created_at > $2 ORDER BY id DESC LIMIT $3`,
      [userId, instant, limit],
    );
  }

  /** A page of a user's active sessions, newest first, from below the id in the cursor. */
  async findActiveOf(userId: string, before: string | null, limit: number): Promise<ListedSession[]> {
    const isBefore = before === null ? {} : { id: LessThan(before) };
    const found = await this.database.manager.find(Session, {
      where: { userId, invalidatedAt: IsNull(), expiresAt: LATER, ...isBefore },
      order: { id: 'DESC' },
      take: limit,
    });
    return found.map((session) => ({ ...session, acting: actingIn(session) }));
  }

  /** Ends a session in which its own user acts, if it has not ended. Returns whether it does so. */
  async invalidate(which: { tokenHash: Buffer } | { id: string }, tx: Transaction): Promise<boolean> {
    const own = { ...which, parentId: IsNull(), invalidatedAt: IsNull() };
    const ended = await tx.manager.update(Session, own, NOW);
    return ended.affected === 1;
  }

  /** Ends one session, and returns it; null when the user had no such active session. */
  async invalidateOne(userId: string, id: string, tx: Transaction): Promise<EndedSession | null> {
    const [ended] = await this.invalidateWhere('user_id = $1 AND id = $2', [userId, id], tx);
    return ended ?? null;
  }

  /** Ends the sessions of a user, all but one if one is named, and returns them. */
  async invalidateAll(userId: string, tx: Transaction, except?: string): Promise<EndedSession[]> {
    // Otherwise two that end the same sessions might lock them in different orders, and deadlock.
    await tx.query('SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId]);
    return this.invalidateWhere('user_id = $1 AND id IS DISTINCT FROM $2', [userId, except ?? null], tx);
  }

  private async invalidateWhere(
    condition: string,
    values: unknown[],
    tx: Transaction,
  ): Promise<EndedSession[]> {
    const [ended] = await tx.query<[EndedSession[], number]>(
      `UPDATE sessions SET invalidated_at = now()
        WHERE ${condition} AND invalidated_at IS NULL AND expires_at > now()
       RETURNING ${ENDED}`,
      values,
    );
    return ended;
  }

  /**
   * Ends the sessions of a user, who is locked, that one way to log in began, or one factor raised, except that of the
   * request.
   */
  async invalidateProvenBy(way: AuthMethod | SecondFactor, userId: string, tx: Transaction): Promise<void> {
    await tx.query(
      `UPDATE sessions SET invalidated_at = now()
        WHERE user_id = $1 AND (auth_method = $2 OR raised_by = $2)
          AND invalidated_at IS NULL AND id IS DISTINCT FROM $3`,
      [userId, way, tx.by.sessionId],
    );
  }

  /** Lowers to the first level the sessions of a user, who is locked, that a factor raised. */
  async lower(userId: string, tx: Transaction): Promise<void> {
    const raised = { userId, raisedBy: Not(IsNull()), invalidatedAt: IsNull() };
    await tx.manager.update(Session, raised, { aal: 1, raisedBy: null });
  }

  /** Whether a session has not ended, nor that of the admin who acts in it. */
  async isActive(id: string, tx: Transaction): Promise<boolean> {
    const found = await tx.query<unknown[]>(
      `SELECT 1 FROM sessions s LEFT JOIN sessions p ON p.id = s.parent_id
        WHERE s.id = $1 AND s.invalidated_at IS NULL AND p.invalidated_at IS NULL`,
      [id],
    );
    return found.length === 1;
  }

  /** Whether a session is an active one of a user. */
  isActiveOf(id: string, userId: string, tx: Transaction): Promise<boolean> {
    const expiresAt = Raw((column) => `${column} > now()`);
    return tx.manager.existsBy(Session, { id, userId, invalidatedAt: IsNull(), expiresAt });
  }

  /** Whether a session is an active one of a user, and its proof is recent. */
  async isRecent(id: string, userId: string, tx: Transaction): Promise<boolean> {
    const found = await tx.query<unknown[]>(
      `SELECT 1 FROM sessions s
        WHERE s.id = $1 AND s.user_id = $2 AND s.invalidated_at IS NULL AND s.expires_at > now() AND ${isRecentSql('s.authenticated_at')}`,
      [id, userId],
    );
    return found.length === 1;
  }

  /** Whether a proof of an instant is recent now. */
  async isRecentProof(provenAt: Date, tx: Transaction): Promise<boolean> {
    const [{ isRecent }] = await tx.query<[{ isRecent: boolean }]>(
      `SELECT ${isRecentSql('$1::timestamptz')} AS "isRecent"`,
      [provenAt],
    );
    return isRecent;
  }

  /**
   * Gives another token to a session as it was read, whose user has proved again who they are: no pause before that counts
   * any longer. A proof by a factor raises the level, and is noted where none has raised it before. Returns null when the
   * session ended, or got another token, meanwhile.
   */
  async renew(
    { id, authenticatedAt }: Caller['session'],
    tokenHash: Buffer,
    method: StepUpMethod,
    tx: Transaction,
  ): Promise<Session | null> {
    const [sessions] = await tx.query<[Session[], number]>(
      `UPDATE sessions SET former_token_hash = token_hash, token_hash = $2, authenticated_at = now(),
              last_seen_at = now(), longest_idle = 0,
              proven_by = array_append(array_remove(proven_by, $4), $4),
              aal = CASE WHEN $5 THEN 2 ELSE aal END,
              raised_by = CASE WHEN $5 AND aal = 1 THEN $4 ELSE raised_by END
        WHERE id = $1 AND authenticated_at IS NOT DISTINCT FROM $3 AND invalidated_at IS NULL
       RETURNING ${COLUMNS}`,
      [id, tokenHash, authenticatedAt, method, isSecondFactor(method)],
    );
    return sessions[0] ?? null;
  }

  /** Whether a token was that of an active session until a moment ago, or of one in which its admin acted. */
  async isJustReplaced(tokenHash: Buffer): Promise<boolean> {
    const rows = await this.lookups.query({
      text: `SELECT 1 FROM sessions s
              WHERE former_token_hash = $1 AND invalidated_at IS NULL AND expires_at > now()
                AND (authenticated_at > now() - make_interval(secs => ${RENEWAL_SECONDS})
                     OR EXISTS (SELECT FROM sessions a
                                 WHERE a.token_hash = $1 AND a.parent_id = s.id
                                   AND a.invalidated_at > now() - make_interval(secs => ${RENEWAL_SECONDS})))`,
      values: [tokenHash],
    });
    return rows.length > 0;
  }

  /**
   * Notes that sessions were seen, and how long they had paused. A row that is locked is left for the next time, so that
   * this never waits.
   */
  async touch(ids: string[]): Promise<void> {
    await this.database.query(
      `UPDATE sessions SET last_seen_at = now(),
              longest_idle = greatest(longest_idle, extract(epoch FROM now() - last_seen_at)::int)
        WHERE id IN (SELECT id FROM sessions
                      WHERE id = ANY($1) AND last_seen_at < now() - make_interval(secs => ${SIGHTING_SECONDS})
                        FOR UPDATE SKIP LOCKED)`,
      [ids],
    );
  }
}

function statement(condition: string, columns: string, name: string): QueryConfig {
  return { text: resumeWhere(condition, columns), types: TYPES, name };
}

function foundSession(
  row: Row,
  user: Omit<CallerUser, 'role' | 'orgId'>,
  memberships: CallerMembership[],
): FoundSession {
  const session = sessionOf(row);
  const proof = proofOf(row);
  const { membership, isOrgMissing } = onlyOf(memberships);
  return {
    user: { ...user, role: roleIn(membership, user.ownRole), orgId: membership?.id ?? null },
    session,
    proof,
    memberships,
    membership,
    isUserSubscribed: row.is_user_subscribed,
    isOrgMissing,
    isRecent: proof.ageSeconds !== null && proof.ageSeconds < RECENT_MINUTES * 60,
    isSeenLongAgo: secondsBetween(session.lastSeenAt, row.checked_at) > SIGHTING_SECONDS,
    checkedAt: row.checked_at,
  };
}

function sessionOf(row: Row): CallerSession {
  return {
    id: row.id,
    authMethod: row.auth_method,
    aal: row.aal,
    ip: row.ip,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    authenticatedAt: row.authenticated_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  };
}

/** What a policy judges of a session. A pause that has been noted counts as well as the present one. */
function proofOf(row: Row): SessionProof {
  const { authenticated_at: provenAt, last_seen_at: lastSeenAt, checked_at: now } = row;
  return {
    ways: [row.auth_method, ...row.proven_by],
    ageSeconds: provenAt && secondsBetween(provenAt, now),
    idleSeconds: Math.max(row.longest_idle, secondsBetween(lastSeenAt, now)),
  };
}

const secondsBetween = (earlier: Date, later: Date) => (later.getTime() - earlier.getTime()) / 1000;

function actingIn({ actorId, actingOrgId: orgId = null, actingMayWrite }: Session): Acting | undefined {
  return actorId ? { actorId, orgId, mayWrite: actingMayWrite === true } : undefined;
}

// Instants are the database's: the clocks of the replicas may differ.
const NOW = { invalidatedAt: () => 'now()' };
const LATER = Raw((column) => `${column} > now()`);
