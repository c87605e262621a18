import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { Transaction } from '../audit/transactions.js';
import { isUniqueViolation } from '../database/failures.js';
import type { CallerUser } from '../http/caller.js';
import { orgRoleOf, ownRoleOf, Role } from '../http/role.js';
import type { Reader } from '../words/languages.js';
import { isHeldSql } from './held-addresses.repository.js';
import { User } from './user.entity.js';

/** How long the owner of an account can undo what an intruder did to it. */
export const UNDOABLE_HOURS = 72;

/**
 * Joins the only active membership of a user `u` as `m`: NULL for a user who has none, or several. Looked up for each user: a
 * plain join would be planned as a hash over all memberships.
 */
export const JOIN_MEMBERSHIP = `
  LEFT JOIN LATERAL (
    SELECT (array_agg(org_id))[1] AS org_id, (array_agg(role))[1] AS role
      FROM memberships WHERE user_id = u.id AND suspended_at IS NULL HAVING count(*) = 1) m ON true`;

/** The users, each with the only membership. */
export const USERS_IN_ORGS = `users u ${JOIN_MEMBERSHIP}`;

/** The role of a user `u` with a membership `m`. */
export const ROLE = `CASE u.own_role WHEN 'sys_admin' THEN u.own_role ELSE coalesce(m.role, u.own_role) END`;

/** Whether a user `u` with a membership `m` administers that organization, can log in, and is not kept out of it. */
export const IS_ACTIVE_ADMIN = `(m.role = 'org_admin' OR u.own_role = 'sys_admin') AND u.disabled_at IS NULL AND m.suspended_at IS NULL`;

/** What a statement says of the `Reader` behind a row `u` of `users`, whose organization is joined as `o`. */
export const READER_COLUMNS = 'u.locale, u.time_zone AS "timeZone", o.locale AS "orgLocale"';

/** How the organization is joined. */
export const JOIN_ORG = `${JOIN_MEMBERSHIP} LEFT JOIN organizations o ON o.id = m.org_id`;

/** The reader who has the account of an address, as JSON; NULL where there is none. */
export const readerOfSql = (address: string) =>
  `(SELECT row_to_json(r) FROM (SELECT ${READER_COLUMNS} FROM users u ${JOIN_ORG} WHERE u.email = ${address}) r)`;

/** What an address is to a user who asks for it: `held` is one that another account can be brought back to. */
type AddressStanding = 'free' | 'taken' | 'held';

/** The standing of an address, and who reads its mail; null where it has no account. */
export interface StandingAndOwner {
  standing: AddressStanding;
  owner: Reader | null;
}

/** A user together with the stored form of the password. */
export type UserWithPassword = User & { passwordHash: string | null };

/** What is known of a user at the start. */
export type NewUser = Pick<User, 'id' | 'email' | 'name' | 'locale' | 'timeZone'> & {
  passwordHash: string | null;
};

@Injectable()
export class UsersRepository {
  constructor(private readonly database: DataSource) {}

  find(id: string, tx: Transaction | DataSource = this.database): Promise<User | null> {
    return this.findBy('id', id, tx);
  }

  /** Without an entity: TypeORM takes so long to make one that a login's time would tell whether there is a user. */
  async findWithPassword(where: { email: string } | { id: string }): Promise<UserWithPassword | null> {
    const [column, value] = 'email' in where ? ['email', where.email] : ['id', where.id];
    const rows = await this.database.query(
      `SELECT ${userColumns(this.database)}, u.password_hash AS "passwordHash" FROM ${USERS_IN_ORGS} WHERE u.${column} = $1`,
      [value],
    );
    return rows[0] ?? null;
  }

  /** A user who is known to be there. */
  async get(id: string, tx: Transaction): Promise<User> {
    return (await this.find(id, tx)) as User;
  }

  findByEmail(email: string): Promise<User | null> {
    return this.findBy('email', email, this.database);
  }

  private async findBy(
    column: 'id' | 'email',
    value: string,
    tx: Transaction | DataSource,
  ): Promise<User | null> {
    const [user] = await tx.query<User[]>(
      `SELECT ${userColumns(this.database)} FROM ${USERS_IN_ORGS} WHERE u.${column} = $1`,
      [value],
    );
    return user ?? null;
  }

  async standingOf(email: string, userId: string, tx: Transaction): Promise<StandingAndOwner> {
    const [found] = await tx.query<[StandingAndOwner]>(
      `SELECT CASE WHEN EXISTS (SELECT FROM users WHERE email = $1) THEN 'taken'
                   WHEN ${isHeldSql('$1', '$2')} THEN 'held' ELSE 'free' END AS standing, ${readerOfSql('$1')} AS owner`,
      [email, userId],
    );
    return found;
  }

  /** Who reads the mail of an address; null where it has no account, or that is disabled. */
  async findReader(email: string, tx: Transaction): Promise<Reader | null> {
    const [reader] = await tx.query<Reader[]>(
      `SELECT ${READER_COLUMNS} FROM users u ${JOIN_ORG} WHERE u.email = $1 AND u.disabled_at IS NULL`,
      [email],
    );
    return reader ?? null;
  }

  /** A user who is known to be there, as a reader, whose language stays until the transaction ends. */
  async getReader(id: string, tx: Transaction): Promise<Reader> {
    const [reader] = await tx.query<[Reader]>(
      `SELECT ${READER_COLUMNS} FROM users u ${JOIN_ORG} WHERE u.id = $1 FOR NO KEY UPDATE OF u`,
      [id],
    );
    return reader;
  }

  /** The user of an address, locked until the transaction ends. */
  lockByEmail(email: string, tx: Transaction): Promise<User | null> {
    return this.lockBy('email', email, tx);
  }

  /** A user, locked until the transaction ends. */
  lock(id: string, tx: Transaction): Promise<User | null> {
    return this.lockBy('id', id, tx);
  }

  /** Read by a statement of its own, which sees the membership as it is once the lock is there. */
  private async lockBy(column: 'id' | 'email', value: string, tx: Transaction): Promise<User | null> {
    const [locked] = await tx.query<{ id: string }[]>(
      `SELECT id FROM users WHERE ${column} = $1 FOR UPDATE`,
      [value],
    );
    return locked ? this.findBy('id', locked.id, tx) : null;
  }

  /**
   * Inserts a user whose address was just proven. Returns null when the address has an account, or is held for one.
   */
  async insertVerified(user: NewUser, tx: Transaction): Promise<User | null> {
    const { id, email, name, locale, timeZone, passwordHash } = user;
    const [made] = await tx.query<User[]>(
      `WITH made AS (
         INSERT INTO users (id, email, name, password_hash, password_changed_at, email_verified_at, locale, time_zone)
         VALUES ($1, $2, $3, $4::text, CASE WHEN $4::text IS NOT NULL THEN now() END, now(), $5, $6)
         ON CONFLICT DO NOTHING RETURNING *
       )
       SELECT ${userColumns(this.database)} FROM made u ${JOIN_MEMBERSHIP}`,
      [id, email, name, passwordHash, locale, timeZone],
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
    const [made] = await tx.query<User[]>(
      `WITH made AS (
         INSERT INTO users (id, email, name, own_role) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING *
       ), joined AS (
         INSERT INTO memberships (user_id, org_id, role, joined_by)
         SELECT id, $5, $6, 'admin' FROM made WHERE $5::uuid IS NOT NULL RETURNING *
       )
       SELECT ${userColumns(this.database)} FROM made u LEFT JOIN joined m ON true`,
      [id, email, name, ownRoleOf(role), orgId, orgRoleOf(role)],
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

  /** Sets what a user says of themselves. */
  async describe(
    id: string,
    description: Partial<Pick<User, 'name' | 'locale' | 'timeZone'>>,
    tx: Transaction,
  ): Promise<void> {
    await tx.manager.update(User, { id }, description);
  }

  /**
   * Gives a user a language who has none; not while another login of theirs holds the row, as each would wait for the other.
   * Returns whether it did.
   */
  async suggestLocale(id: string, locale: string, tx: Transaction): Promise<boolean> {
    const [, given] = await tx.query<[unknown, number]>(
      `UPDATE users SET locale = $2
        WHERE id = (SELECT id FROM users WHERE id = $1 AND locale IS NULL FOR NO KEY UPDATE SKIP LOCKED)`,
      [id, locale],
    );
    return given > 0;
  }

  /**
   * Sets the role that a SYSTEM_ADMIN gives a user. READONLY then binds within all organizations as well, until a SYSTEM_ADMIN
   * gives another role. Any other role is also that in the only active organization; of several, each keeps the role that it
   * gave. A custom role goes where a role is set. A SYSTEM_ADMIN keeps all memberships as they were.
   */
  async setRole(id: string, role: Role, tx: Transaction): Promise<void> {
    await tx.manager.update(User, { id }, { ownRole: ownRoleOf(role) });
    if (role === Role.SYSTEM_ADMIN) return;
    await tx.query(
      `UPDATE memberships SET role = $2, role_id = NULL
        WHERE user_id = $1 AND ($2 = 'readonly' OR suspended_at IS NULL
          AND (SELECT count(*) FROM memberships WHERE user_id = $1 AND suspended_at IS NULL) = 1)`,
      [id, role],
    );
  }

  /** Says whether a user may log in. For one who is disabled already the instant stays. */
  async setDisabled(id: string, isDisabled: boolean, tx: Transaction): Promise<void> {
    const disabledAt = isDisabled ? () => 'coalesce(disabled_at, now())' : null;
    await tx.manager.update(User, { id }, { disabledAt });
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
   * Sets the password of a user who has just proven the address, or takes it away.
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

/** SQL for what a user `u` with a membership `m` is, under the names of `User`. */
export function userColumns(database: DataSource): string {
  return [...columnsOf(database), [ROLE, 'role'], ['m.org_id', 'orgId']]
    .map(([column, field]) => `${column} AS "${field}"`)
    .join(', ');
}

/** SQL for a user `u` beside the columns of other tables, and the reading of that user from a row. */
export interface JoinedUser {
  columns: string;
  read: (row: Record<string, unknown>) => Omit<User, 'role' | 'orgId'>;
}

export function joinedUser(database: DataSource): JoinedUser {
  const fields = columnsOf(database).map(([column, field]) => ({ column, field, alias: `user.${field}` }));
  // With every field in its place from the start, a copy of it is a third of the size.
  const blank = Object.fromEntries(fields.map(({ field }) => [field, null]));
  return {
    columns: fields.map(({ column, alias }) => `${column} AS "${alias}"`).join(', '),
    read: (row) => {
      const user: Record<string, unknown> = { ...blank };
      for (const { field, alias } of fields) user[field] = row[alias];
      return user as unknown as User;
    },
  };
}

function columnsOf(database: DataSource): [column: string, field: string][] {
  return database
    .getMetadata(User)
    .columns.filter(({ isSelect }) => isSelect)
    .map(({ databaseName, propertyName }) => [`u.${databaseName}`, propertyName]);
}
