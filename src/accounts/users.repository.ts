import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { isUniqueViolation } from '../database/failures.js';
import type { CallerUser } from '../http/caller.js';
import { Role } from '../http/role.js';
import { isHeldSql } from './held-addresses.repository.js';
import { User } from './user.entity.js';

/** How long the owner of an account can undo what an intruder did to it. */
export const UNDOABLE_HOURS = 72;

/** What an address is to a user who asks for it: `held` is one that another account can be brought back to. */
export type AddressStanding = 'free' | 'taken' | 'held';

/** A user together with the stored form of the password. */
export type UserWithPassword = User & { passwordHash: string | null };

/** What is known of a user at the start. */
export type NewUser = Pick<User, 'id' | 'email' | 'name' | 'role'> & { passwordHash: string | null };

@Injectable()
export class UsersRepository {
  constructor(private readonly database: DataSource) {}

  find(id: string, tx: Transaction | DataSource = this.database): Promise<User | null> {
    return tx.manager.findOneBy(User, { id });
  }

  /** Without an entity: TypeORM takes so long to make one that a login's time would tell whether there is a user. */
  async findWithPassword(where: { email: string } | { id: string }): Promise<UserWithPassword | null> {
    const [condition, value] = 'email' in where ? ['email = $1', where.email] : ['id = $1', where.id];
    const rows = await this.database.query(
      `SELECT ${userColumns(this.database)}, password_hash AS "passwordHash" FROM users WHERE ${condition}`,
      [value],
    );
    return rows[0] ?? null;
  }

  /** A user who is known to be there. */
  get(id: string, tx: Transaction): Promise<User> {
    return tx.manager.findOneByOrFail(User, { id });
  }

  findByEmail(email: string): Promise<User | null> {
    return this.database.manager.findOneBy(User, { email });
  }

  async standingOf(email: string, userId: string, tx: Transaction): Promise<AddressStanding> {
    const [{ standing }] = await tx.query<[{ standing: AddressStanding }]>(
      `SELECT CASE WHEN EXISTS (SELECT FROM users WHERE email = $1) THEN 'taken'
                   WHEN ${isHeldSql('$1', '$2')} THEN 'held' ELSE 'free' END AS standing`,
      [email, userId],
    );
    return standing;
  }

  /** Whether an address has an account that is not disabled. */
  isEnabled(email: string, tx: Transaction): Promise<boolean> {
    return tx.manager.existsBy(User, { email, disabledAt: IsNull() });
  }

  /** The user of an address, locked until the transaction ends. */
  lockByEmail(email: string, tx: Transaction): Promise<User | null> {
    return tx.manager.findOne(User, { where: { email }, lock: { mode: 'pessimistic_write' } });
  }

  /** A user, locked until the transaction ends. */
  lock(id: string, tx: Transaction): Promise<User | null> {
    return tx.manager.findOne(User, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Inserts a user whose address was just proven. Returns null when the address has an account, or is held for one.
   */
  async insertVerified(user: NewUser, tx: Transaction): Promise<User | null> {
    const { id, email, name, role, passwordHash } = user;
    const [made] = await tx.query<User[]>(
      `INSERT INTO users (id, email, name, role, password_hash, password_changed_at, email_verified_at)
       VALUES ($1, $2, $3, $4, $5::text, CASE WHEN $5::text IS NOT NULL THEN now() END, now())
       ON CONFLICT DO NOTHING RETURNING ${userColumns(this.database)}`,
      [id, email, name, role, passwordHash],
    );
    return made === undefined || (await this.withdrawHeld(id, tx)) ? null : made;
  }

  /**
   * Inserts a user who has neither proven the address nor chosen a password. READONLY binds wherever they are, as a role
   * that a SYSTEM_ADMIN gives. Returns null when the address has an account, or is held for one.
   */
  async insertUnproven(
    { id, email, name, role, orgId }: Pick<User, 'id' | 'email' | 'name' | 'role' | 'orgId'>,
    tx: Transaction,
  ): Promise<User | null> {
    const ownRole = role === Role.READONLY ? role : Role.MEMBER;
    const [made] = await tx.query<User[]>(
      `INSERT INTO users (id, email, name, role, own_role, org_id) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING RETURNING ${userColumns(this.database)}`,
      [id, email, name, role, ownRole, orgId],
    );
    return made === undefined || (await this.withdrawHeld(id, tx)) ? null : made;
  }

  /**
   * Takes a user out again whose address is held. By a statement of its own, after the insert: that waits for a change
   * of address under way, and sees nothing of it.
   */
  private async withdrawHeld(id: string, tx: Transaction): Promise<boolean> {
    const [, withdrawn] = await tx.query<[unknown, number]>(
      `DELETE FROM users WHERE id = $1 AND ${isHeldSql('users.email')}`,
      [id],
    );
    return withdrawn === 1;
  }

  async rename(id: string, name: string | null, tx: Transaction): Promise<void> {
    await tx.manager.update(User, { id }, { name });
  }

  /**
   * Sets what a SYSTEM_ADMIN gives of a user's role, and of whether they may log in; for one disabled already the instant
   * stays. READONLY then binds within organizations as well, until a SYSTEM_ADMIN gives another role.
   */
  async setStanding(
    id: string,
    { role, disabled }: { role?: Role; disabled?: boolean },
    tx: Transaction,
  ): Promise<User> {
    // An update that sets nothing is an error of TypeORM.
    if (role === undefined && disabled === undefined) return this.get(id, tx);
    await tx.manager.update(
      User,
      { id },
      {
        ...(role !== undefined && { role, ownRole: role === Role.READONLY ? role : Role.MEMBER }),
        ...(disabled !== undefined && { disabledAt: disabled ? () => 'coalesce(disabled_at, now())' : null }),
      },
    );
    return this.get(id, tx);
  }

  /** Gives a user another address, which counts as verified if it is proven. Returns false when it has an account. */
  async changeEmail(id: string, email: string, tx: Transaction, { isProven = true } = {}): Promise<boolean> {
    const emailVerifiedAt = isProven ? () => 'now()' : null;
    try {
      // In a savepoint of its own, so that the transaction outlives an address taken at the same moment.
      await tx.savepoint((inner) => inner.manager.update(User, { id }, { email, emailVerifiedAt }));
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async dropPassword(id: string, tx: Transaction): Promise<void> {
    await tx.manager.update(User, { id }, { passwordHash: null, passwordChangedAt: null });
  }

  /**
   * Sets the password of a user who has just proven the address, or takes it away. In one statement: a second one on
   * the same row would lock its organization too, to check the foreign key, and every other transaction locks that
   * first.
   */
  async setPasswordOfProven(id: string, passwordHash: string | null, tx: Transaction): Promise<void> {
    const passwordChangedAt = passwordHash === null ? null : () => 'now()';
    const emailVerifiedAt = () => 'coalesce(email_verified_at, now())';
    await tx.manager.update(User, { id }, { passwordHash, passwordChangedAt, emailVerifiedAt });
  }

  /** Sets a password in place of the one that was read. Returns false when it changed meanwhile. */
  async replacePassword(user: CallerUser, passwordHash: string, tx: Transaction): Promise<boolean> {
    const asRead = { id: user.id, passwordChangedAt: user.passwordChangedAt ?? IsNull() };
    const replaced = await tx.manager.update(User, asRead, {
      passwordHash,
      passwordChangedAt: () => 'now()',
    });
    return replaced.affected === 1;
  }

  /**
   * Keeps a password as it was read until the transaction ends, for one transaction at a time. Returns false when it
   * changed, or the user was disabled, meanwhile.
   */
  async lockWithPassword({ id, passwordChangedAt }: CallerUser, tx: Transaction): Promise<boolean> {
    const asRead = { id, passwordChangedAt: passwordChangedAt ?? IsNull(), disabledAt: IsNull() };
    const kept = await tx.manager.findOne(User, { where: asRead, lock: { mode: 'pessimistic_write' } });
    return kept !== null;
  }

  /**
   * Keeps a user as they were read until the transaction ends. Returns false when the password changed, or the user was
   * disabled, meanwhile: this waits for such a change, and the change for the end of the transaction.
   */
  async keepAsRead({ id, passwordChangedAt }: CallerUser, tx: Transaction): Promise<boolean> {
    const kept = await tx.query<unknown[]>(
      `SELECT 1 FROM users WHERE id = $1 AND password_changed_at IS NOT DISTINCT FROM $2 AND disabled_at IS NULL FOR SHARE`,
      [id, passwordChangedAt],
    );
    return kept.length === 1;
  }

  /** Stores the same password in another form, which is no change of password. */
  async replaceHash(id: string, outdated: string, passwordHash: string): Promise<void> {
    await this.database.manager.update(User, { id, passwordHash: outdated }, { passwordHash });
  }

  async delete(id: string, tx: Transaction): Promise<void> {
    await tx.manager.delete(User, { id });
  }
}

// For statements whose rows TypeORM makes no entities of: a column of the entity is in all of them by itself.

/** SQL for what a user is, under the names of the entity. */
export function userColumns(database: DataSource): string {
  return columnsOf(database)
    .map(([column, field]) => `${column} AS "${field}"`)
    .join(', ');
}

/** SQL for a user `u` beside the columns of other tables, and the reading of that user from a row. */
export interface JoinedUser {
  columns: string;
  read: (row: Record<string, unknown>) => User;
}

export function joinedUser(database: DataSource): JoinedUser {
  const fields = columnsOf(database).map(([column, field]) => ({ column, field, alias: `user.${field}` }));
  return {
    columns: fields.map(({ column, alias }) => `u.${column} AS "${alias}"`).join(', '),
    read: (row) => {
      const user: Record<string, unknown> = {};
      for (const { field, alias } of fields) user[field] = row[alias];
      return user as unknown as User;
    },
  };
}

function columnsOf(database: DataSource): [column: string, field: string][] {
  return database
    .getMetadata(User)
    .columns.filter(({ isSelect }) => isSelect)
    .map(({ databaseName, propertyName }) => [databaseName, propertyName]);
}
