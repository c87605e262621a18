import type { DataSource } from 'typeorm';
import { User } from './user.entity.js';

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
