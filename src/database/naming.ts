import { DefaultNamingStrategy, type NamingStrategyInterface, type Table } from 'typeorm';

/** Names as PostgreSQL gives them by itself: snake_case columns, `users_email_key`, `sessions_user_id_fkey`. */
export class PostgresNaming extends DefaultNamingStrategy implements NamingStrategyInterface {
  override columnName(property: string, customName: string): string {
    return customName ?? snakeCase(property);
  }

  override joinColumnName(relation: string, referencedColumn: string): string {
    return snakeCase(`${relation}_${referencedColumn}`);
  }

  override primaryKeyName(table: Table | string): string {
    return `${this.getTableName(table)}_pkey`;
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_key`;
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_fkey`;
  }

  override indexName(table: Table | string, columns: string[]): string {
    return `${this.getTableName(table)}_${columns.join('_')}_idx`;
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
