import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** How long a connection to PostgreSQL may take to open. */
export const CONNECT_TIMEOUT_MS = 3_000;

/** The `pg` pool behind TypeORM, for what TypeORM does not do. */
export function poolOf(database: DataSource): Pool {
  return (database.driver as unknown as { master: Pool }).master;
}
