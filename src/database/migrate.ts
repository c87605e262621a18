import { DataSource } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { dataSourceOptions } from './data-source.js';

/** Any number, the same on every replica. */
const MIGRATION_LOCK = 5_234_001;

/**
 * Brings the schema up to date and returns the names of the migrations that ran. Replicas that start
 * together take turns; each migration is a transaction of its own.
 */
export async function migrate(environment: Environment): Promise<string[]> {
  const database = new DataSource({ ...dataSourceOptions(environment), extra: {} });
  await database.initialize();

  try {
    return await database.transaction(async (holder) => {
      // Held by a transaction, not by a session, so that it also works behind PgBouncer.
      await holder.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const ran = await database.runMigrations({ transaction: 'each' });
      return ran.map(({ name }) => name);
    });
  } finally {
    await database.destroy();
  }
}
