import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import type { Acting, CallerSession } from '../http/caller.js';
import { Role } from '../http/role.js';
import { ENDED, type EndedSession } from './sessions.repository.js';

/** How long an admin acts at most, unless their own session ends sooner. */
const ACTING_MINUTES = 30;

/** A proof as old as this no longer is a recent one. */
const NO_LONGER_RECENT = `interval '10 minutes'`;

/** What is known of an acting session when it starts. */
export interface NewActingSession extends Omit<Acting, 'actorId'> {
  id: string;
  userId: string;
  tokenHash: Buffer;
  /** The session of the admin. */
  parentId: string;
}

const IS_ACTIVE = 'invalidated_at IS NULL AND expires_at > now()';

/** The acting session of a request. */
export type Presented = { id: string } | { tokenHash: Buffer };

const whichIs = (acting: Presented) =>
  'id' in acting
    ? { condition: 'id = $1', value: acting.id }
    : { condition: 'token_hash = $1', value: acting.tokenHash };

/** The sessions in which a SYSTEM_ADMIN acts for a user. Each has a parent: the session of that admin, with which it ends. */
@Injectable()
export class ActingSessionsRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * Who acts in a session that its check has found. Returns null once the admin's own session has ended, the admin is
   * disabled or no longer a SYSTEM_ADMIN, that session lacks the level that it needs, or the organization refuses it.
   */
  async find(id: string, needsSecondFactor: boolean): Promise<Acting | null> {
    const [found] = await this.database.query<Acting[]>(
      `SELECT s.actor_id AS "actorId", s.acting_org_id AS "orgId", s.acting_may_write AS "mayWrite"
         FROM sessions s JOIN sessions p ON p.id = s.parent_id AND p.user_id = s.actor_id JOIN users u ON u.id = p.user_id
        WHERE s.id = $1 AND p.invalidated_at IS NULL AND p.expires_at > now()
          AND u.disabled_at IS NULL AND u.own_role = '${Role.SYSTEM_ADMIN}' AND (p.aal = 2 OR NOT $2)
          AND (s.acting_org_id IS NULL
               OR EXISTS (SELECT FROM organizations o WHERE o.id = s.acting_org_id AND o.policy_acting))`,
      [id, needsSecondFactor],
    );
    return found ?? null;
  }

  /** Ends a session for good that its bounds no longer allow: what happens later must not allow it again. */
  async end(id: string): Promise<void> {
    await this.database.query(`UPDATE sessions SET invalidated_at = now() WHERE id = $1 AND ${IS_ACTIVE}`, [
      id,
    ]);
  }

  /** Locks the session of an admin, before any in which that admin acts. Returns whether it is active. */
  async lockParent(id: string, tx: Transaction): Promise<boolean> {
    const found = await tx.query<unknown[]>(
      `SELECT 1 FROM sessions WHERE id = $1 AND ${IS_ACTIVE} FOR NO KEY UPDATE`,
      [id],
    );
    return found.length === 1;
  }

  /** Locks the session with which an acting one began, and returns its id; null for a session that does not act. */
  async lockParentOf(acting: Presented, tx: Transaction): Promise<string | null> {
    const { condition, value } = whichIs(acting);
    const [parent] = await tx.query<{ id: string }[]>(
      `SELECT id FROM sessions WHERE id = (SELECT parent_id FROM sessions WHERE ${condition}) FOR NO KEY UPDATE`,
      [value],
    );
    return parent?.id ?? null;
  }

  /**
   * The admin of an acting session, over or not, whose parent is locked, where a browser holds it in place of that parent: it is
   * the last one that began there, and the admin did not stop, which gives the browser the parent back. Null for any other.
   */
  async holderOf(acting: Presented, tx: Transaction): Promise<string | null> {
    const { condition, value } = whichIs(acting);
    const [held] = await tx.query<{ adminId: string }[]>(
      `SELECT a.actor_id AS "adminId"
         FROM (SELECT * FROM sessions WHERE ${condition}) a JOIN sessions p ON p.id = a.parent_id AND p.user_id = a.actor_id
        WHERE (a.invalidated_at IS NULL OR a.invalidated_at > p.last_seen_at)
          AND NOT EXISTS (SELECT FROM sessions later
                           WHERE later.actor_id = a.actor_id AND later.parent_id = p.id AND later.id > a.id)`,
      [value],
    );
    return held?.adminId ?? null;
  }

  /** Inserts a session whose parent is locked. It has the level of the parent, and no proof of its own. */
  async insert(
    { id, userId, tokenHash, parentId, orgId, mayWrite }: NewActingSession,
    tx: Transaction,
  ): Promise<Pick<CallerSession, 'createdAt' | 'expiresAt'>> {
    const [inserted] = await tx.query<[Pick<CallerSession, 'createdAt' | 'expiresAt'>]>(
      `INSERT INTO sessions (id, user_id, token_hash, auth_method, aal, expires_at, parent_id, actor_id,
                             acting_org_id, acting_may_write)
       SELECT $1, $2, $3, 'acting', p.aal, least(p.expires_at, now() + interval '${ACTING_MINUTES} minutes'),
              p.id, p.user_id, $5, $6
         FROM sessions p WHERE p.id = $4
       RETURNING created_at AS "createdAt", expires_at AS "expiresAt"`,
      [id, userId, tokenHash, parentId, orgId, mayWrite],
    );
    return inserted;
  }

  /** Ends what a session of an admin began, which is locked. Of these at most one is active. */
  endOfParent(parentId: string, tx: Transaction): Promise<EndedSession[]> {
    return this.endWhere('parent_id = $1 AND actor_id IS NOT NULL', parentId, tx);
  }

  /** Ends all in which an admin acts. */
  endOfAdmin(adminId: string, tx: Transaction): Promise<EndedSession[]> {
    return this.endWhere('actor_id = $1', adminId, tx);
  }

  /** Ends all that act in an organization. */
  endInOrg(orgId: string, tx: Transaction): Promise<EndedSession[]> {
    return this.endWhere('acting_org_id = $1 AND actor_id IS NOT NULL', orgId, tx);
  }

  /**
   * Gives a fresh token to the session of an admin who stops acting, in place of that of the acting session, with which
   * requests may still be under way. Its last proof is no longer recent: the fresh token goes to the holder of the other one.
   */
  async goBack(parentId: string, actingId: string, tokenHash: Buffer, tx: Transaction): Promise<void> {
    await tx.query(
      `UPDATE sessions SET token_hash = $3, last_seen_at = now(),
              former_token_hash = (SELECT a.token_hash FROM sessions a WHERE a.id = $2),
              authenticated_at = least(authenticated_at, now() - ${NO_LONGER_RECENT})
        WHERE id = $1`,
      [parentId, actingId, tokenHash],
    );
  }

  /** Ends the session of an admin. Returns whether it was active. */
  async endParent(id: string, tx: Transaction): Promise<boolean> {
    const [, count] = await tx.query<[unknown[], number]>(
      `UPDATE sessions SET invalidated_at = now() WHERE id = $1 AND ${IS_ACTIVE}`,
      [id],
    );
    return count === 1;
  }

  private async endWhere(condition: string, value: string, tx: Transaction): Promise<EndedSession[]> {
    const [ended] = await tx.query<[EndedSession[], number]>(
      `UPDATE sessions SET invalidated_at = now() WHERE ${condition} AND ${IS_ACTIVE} RETURNING ${ENDED}`,
      [value],
    );
    return ended;
  }
}
