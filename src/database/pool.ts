import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/** How long a connection to PostgreSQL may take to open. */
export const CONNECT_TIMEOUT_MS = 3_000;

/**
 * A statement waits for a lock no longer than for a connection: a longer wait would keep connections from the others.
 */
export const LOCK_TIMEOUT_MS = 3_000;

/** When PostgreSQL cuts a statement off. */
export const STATEMENT_TIMEOUT_MS = 10_000;

/** How long a statement that needs a moment may take from when it is asked: to get a connection, and to wait for a lock. */
export const ASKED_TIMEOUT_MS = CONNECT_TIMEOUT_MS + LOCK_TIMEOUT_MS;

/** How long a connection may leave a statement without an answer: PostgreSQL would have cut it off by then. */
export const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 1_000;

/** The `pg` pool behind TypeORM, for what TypeORM does not do. */
export function poolOf(database: DataSource): Pool {
  return (database.driver as PostgresDriver).master;
}
