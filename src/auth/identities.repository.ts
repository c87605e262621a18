import { Injectable } from '@nestjs/common';
import { DataSource, LessThan } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { User } from '../users/user.entity.js';
import { Identity } from './identity.entity.js';

@Injectable()
export class IdentitiesRepository {
  constructor(private readonly database: DataSource) {}

  /** The user a provider's subject belongs to, locked until the transaction ends. */
  async findUser(provider: string, subject: string, tx: Transaction): Promise<User | null> {
    const user = await tx.manager
      .createQueryBuilder(User, 'owner')
      .innerJoin(Identity, 'identity', 'identity.user_id = owner.id')
      .where('identity.provider = :provider AND identity.subject = :subject', { provider, subject })
      .setLock('pessimistic_write', undefined, ['owner'])
      .getOne();
    if (!user) return null;
    // The identity is as it was before the lock was waited for: it may have been unlinked meanwhile.
    const isLinked = await tx.manager.existsBy(Identity, { provider, subject, userId: user.id });
    return isLinked ? user : null;
  }

  /** Links an identity. Returns false when the subject, or the user at this provider, is linked already. */
  async insert(identity: Omit<Identity, 'createdAt' | 'user'>, tx: Transaction): Promise<boolean> {
    const query = tx.manager
      .createQueryBuilder()
      .insert()
      .into(Identity)
      .values(identity)
      .orIgnore()
      .returning('id');
    return (await query.execute()).raw.length === 1;
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

  countOf(userId: string, tx: Transaction): Promise<number> {
    return tx.manager.countBy(Identity, { userId });
  }

  /** Returns whether the user had such an identity. */
  async delete(userId: string, id: string, tx: Transaction): Promise<boolean> {
    return (await tx.manager.delete(Identity, { id, userId })).affected === 1;
  }
}
