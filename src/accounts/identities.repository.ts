import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { Identity } from './identity.entity.js';
import { RemovedIdentity } from './removed-identity.entity.js';
import type { User } from './user.entity.js';
import { UNDOABLE_HOURS, USERS_IN_ORGS, userColumns } from './users.repository.js';

@Injectable()
export class IdentitiesRepository {
  constructor(private readonly database: DataSource) {}

  /** The user a provider's subject belongs to, locked until the transaction ends. */
  async findUser(provider: string, subject: string, tx: Transaction): Promise<User | null> {
    const [locked] = await tx.query<{ id: string }[]>(
      `SELECT u.id FROM users u JOIN identities i ON i.user_id = u.id
        WHERE i.provider = $1 AND i.subject = $2 FOR UPDATE OF u`,
      [provider, subject],
    );
    if (!locked) return null;
    // The identity is as it was before the lock was waited for: it may have been unlinked meanwhile.
    const [user] = await tx.query<User[]>(
      `SELECT ${userColumns(this.database)} FROM ${USERS_IN_ORGS} JOIN identities i ON i.user_id = u.id
        WHERE i.provider = $1 AND i.subject = $2 AND u.id = $3`,
      [provider, subject, locked.id],
    );
    return user ?? null;
  }

  /**
   * Links an identity, even one that was removed before. Returns false when the subject, or the user at this provider, is
   * linked already.
   */
  async insert(identity: Omit<Identity, 'createdAt' | 'user'>, tx: Transaction): Promise<boolean> {
    const query = tx.manager
      .createQueryBuilder()
      .insert()
      .into(Identity)
      .values(identity)
      .orIgnore()
      .returning('id');
    if ((await query.execute()).raw.length === 0) return false;
    const { userId, provider, subject } = identity;
    await tx.manager.delete(RemovedIdentity, { userId, provider, subject });
    return true;
  }

  /** A page of a user's identities, newest first, from below an id. */
  findOf(userId: string, before: string | null, limit: number): Promise<Identity[]> {
    const isBefore = before === null ? {} : { id: LessThan(before) };
    return this.database.manager.find(Identity, {
      where: { userId, ...isBefore },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  /** All identities of a user, one at each provider at most. */
  findAllOf(userId: string): Promise<Identity[]> {
    return this.database.manager.find(Identity, { where: { userId }, order: { id: 'DESC' } });
  }

  /** Whether an identity is linked to a user. Locks nobody: it may be linked to another user, who is locked elsewhere. */
  isOf(
    { userId, provider, subject }: Pick<Identity, 'userId' | 'provider' | 'subject'>,
    tx: Transaction,
  ): Promise<boolean> {
    return tx.manager.existsBy(Identity, { userId, provider, subject });
  }

  /** Whether a user has an identity at a provider. */
  isAt(provider: string, userId: string, tx: Transaction): Promise<boolean> {
    return tx.manager.existsBy(Identity, { provider, userId });
  }

  /** Whether an identity was removed from a user, and not linked again on purpose. */
  wasRemoved(
    { userId, provider, subject }: Pick<Identity, 'userId' | 'provider' | 'subject'>,
    tx: Transaction,
  ): Promise<boolean> {
    return tx.manager.existsBy(RemovedIdentity, { userId, provider, subject });
  }

  countOf(userId: string, { manager }: Pick<Transaction, 'manager'> = this.database): Promise<number> {
    return manager.countBy(Identity, { userId });
  }

  /** Removes one identity of a user, and remembers it. Returns whether there was one. */
  async remove(userId: string, id: string, tx: Transaction): Promise<boolean> {
    return (await this.removeWhere('user_id = $1 AND id = $2', [userId, id], tx)) === 1;
  }

  /**
   * Removes the identities that are known under another address than the one a user has proven, and remembers them. With
   * an instant also those linked since, or so lately that it can be undone. Returns how many there were.
   */
  removeForeign(userId: string, proven: string, tx: Transaction, since: Date | null = null): Promise<number> {
    return this.removeWhere(
      `user_id = $1
       AND (email IS DISTINCT FROM $2
            OR $3::timestamptz IS NOT NULL AND created_at >= least(now() - make_interval(hours => $4), $3))`,
      [userId, proven, since, UNDOABLE_HOURS],
      tx,
    );
  }

  /**
   * Remembers as removed the identities of first steps since an instant, or so lately that they can be undone, which no
   * second step has linked: the next login would link them. Read from the events, as the
   * pending logins are gone after ten minutes.
   */
  async refuseOffered(userId: string, since: Date, tx: Transaction): Promise<void> {
    await tx.query(
      `INSERT INTO removed_identities (user_id, provider, subject)
       SELECT DISTINCT e.user_id, e.details->>'issuer', e.details->>'subject' FROM audit_events e
        WHERE e.user_id = $1 AND e.type = 'login.pending' AND e.details->>'subject' IS NOT NULL
          AND e.created_at >= least(now() - make_interval(hours => $3), $2::timestamptz)
          AND NOT EXISTS (
            SELECT FROM identities i WHERE i.provider = e.details->>'issuer' AND i.subject = e.details->>'subject')
       ON CONFLICT (user_id, provider, subject) DO UPDATE SET removed_at = now()`,
      [userId, since, UNDOABLE_HOURS],
    );
  }

  /** In one statement: a login that waits for the user must find either the identity, or that it was removed. */
  private async removeWhere(condition: string, parameters: unknown[], tx: Transaction): Promise<number> {
    const removed = await tx.query<unknown[]>(
      `WITH removed AS (DELETE FROM identities WHERE ${condition} RETURNING user_id, provider, subject)
       INSERT INTO removed_identities (user_id, provider, subject) SELECT * FROM removed
       ON CONFLICT (user_id, provider, subject) DO UPDATE SET removed_at = now()
       RETURNING subject`,
      parameters,
    );
    return removed.length;
  }
}
