import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** How long a connection to PostgreSQL may take to open. */
export const CONNECT_TIMEOUT_MS = 3_000;

/** When PostgreSQL cuts a statement off. */
export const STATEMENT_TIMEOUT_MS = 10_000;

/** How long a connection may leave a statement without an answer: PostgreSQL would have cut it off by then. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 1_000;

/** The `pg` pool behind TypeORM, for what TypeORM does not do. */
export function poolOf(database: DataSource): Pool {
  return (database.driver as unknown as { master: Pool }).master;
}
