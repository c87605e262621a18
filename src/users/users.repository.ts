import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Role } from '../access/role.js';
import { User } from './user.entity.js';

/** A user together with the stored form of the password. */
export type UserWithPassword = User & { passwordHash: string | null };

/** What is known of a user at the start. */
export type NewUser = Pick<User, 'id' | 'email' | 'name' | 'role'> & { passwordHash: string | null };

@Injectable()
export class UsersRepository {
  constructor(private readonly database: DataSource) {}

  findWithPassword(where: { email: string } | { id: string }): Promise<UserWithPassword | null> {
    const columns = this.database.getMetadata(User).columns.map(({ propertyName }) => `user.${propertyName}`);
    const query = this.database.manager.createQueryBuilder(User, 'user').select(columns).where(where);
    return query.getOne() as Promise<UserWithPassword | null>;
  }

  /** The user of an address, whom nobody else changes until the transaction ends. */
  lockByEmail(email: string, manager: EntityManager): Promise<User | null> {
    return manager.findOne(User, { where: { email }, lock: { mode: 'pessimistic_write' } });
  }

  /** Inserts a user. Returns false when the address has an account. */
  async insert(user: NewUser, manager: EntityManager): Promise<boolean> {
    const passwordChangedAt = user.passwordHash === null ? null : () => 'now()';
    const inserted = await manager
      .createQueryBuilder()
      .insert()
      .into(User)
      .values({ ...user, passwordChangedAt })
      .orIgnore()
      .returning('id')
      .execute();
    return inserted.raw.length === 1;
  }

  async rename(id: string, name: string | null): Promise<void> {
    await this.database.manager.update(User, { id }, { name });
  }

  /** The address counts as verified from the first proof on. */
  async markVerified(id: string, manager: EntityManager): Promise<void> {
    await manager.update(User, { id, emailVerifiedAt: IsNull() }, { emailVerifiedAt: () => 'now()' });
  }

  async dropPassword(id: string, manager: EntityManager): Promise<void> {
    await manager.update(User, { id }, { passwordHash: null, passwordChangedAt: null });
  }

  async setPassword(id: string, passwordHash: string, manager: EntityManager): Promise<void> {
    await manager.update(User, { id }, { passwordHash, passwordChangedAt: () => 'now()' });
  }

  /** Sets a password in place of the one that was read. Returns false when it changed meanwhile. */
  async replacePassword(user: User, passwordHash: string, manager: EntityManager): Promise<boolean> {
    const asRead = { id: user.id, passwordChangedAt: user.passwordChangedAt ?? IsNull() };
    const replaced = await manager.update(User, asRead, { passwordHash, passwordChangedAt: () => 'now()' });
    return replaced.affected === 1;
  }

  /** Stores the same password in another form, which is no change of password. */
  async replaceHash(id: string, outdated: string, passwordHash: string): Promise<void> {
    await this.database.manager.update(User, { id, passwordHash: outdated }, { passwordHash });
  }

  /**
   * Gives the account of an address the highest role, and makes the account if there is none. A password set
   * while the address was not verified is dropped: it may be somebody else's.
   */
  async makeSystemAdmin(
    email: string,
    manager: EntityManager,
  ): Promise<{ wasCreated: boolean; hasPassword: boolean }> {
    const id = uuidv7();
    const [user] = await manager.query<{ id: string; hasPassword: boolean }[]>(
      `INSERT INTO users (id, email, role) VALUES ($1, $2, $3)
       ON CONFLICT (email) DO UPDATE SET
         role = excluded.role,
         password_hash = CASE WHEN users.email_verified_at IS NOT NULL THEN users.password_hash END,
         password_changed_at = CASE WHEN users.email_verified_at IS NOT NULL THEN users.password_changed_at END
       RETURNING id, password_hash IS NOT NULL AS "hasPassword"`,
      [id, email, Role.SYSTEM_ADMIN],
    );
    return { wasCreated: user?.id === id, hasPassword: user?.hasPassword ?? false };
  }
}
