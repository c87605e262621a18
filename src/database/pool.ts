import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

/** The `pg` pool behind TypeORM, for what TypeORM does not do. */
export function poolOf(database: DataSource): Pool {
  return (database.driver as unknown as { master: Pool }).master;
}
