import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { User } from '../../users/user.entity.js';
import { Identity } from './identity.entity.js';

@Injectable()
export class IdentitiesRepository {
  constructor(private readonly database: DataSource) {}

  /** The user a provider's subject belongs to, whom nobody else changes until the transaction ends. */
  findUser(provider: string, subject: string, manager: EntityManager): Promise<User | null> {
    return manager
      .createQueryBuilder(User, 'owner')
      .innerJoin(Identity, 'identity', 'identity.user_id = owner.id')
      .where('identity.provider = :provider AND identity.subject = :subject', { provider, subject })
      .setLock('pessimistic_write', undefined, ['owner'])
      .getOne();
  }

  /** Links an identity. Returns false when the subject, or the user at this provider, is linked already. */
  async insert(identity: Omit<Identity, 'createdAt' | 'user'>, manager: EntityManager): Promise<boolean> {
    const query = manager
      .createQueryBuilder()
      .insert()
      .into(Identity)
      .values(identity)
      .orIgnore()
      .returning('id');
    return (await query.execute()).raw.length === 1;
  }

  findOf(userId: string): Promise<Identity[]> {
    return this.database.manager.find(Identity, { where: { userId }, order: { id: 'ASC' } });
  }

  countOf(userId: string, manager: EntityManager): Promise<number> {
    return manager.countBy(Identity, { userId });
  }

  /** Returns whether the user had such an identity. */
  async delete(userId: string, id: string, manager: EntityManager): Promise<boolean> {
    return (await manager.delete(Identity, { id, userId })).affected === 1;
  }
}
