import { DataSource } from 'typeorm';
import type { Environment } from './config/environment.js';
import { dataSourceOptions } from './data-source.js';
import { waitForLock } from './database/advisory-lock.js';

/**
 * Brings the schema up to date and returns the names of the migrations that ran. Replicas that start
 * together take turns; each migration is a transaction of its own.
 */
export async function migrate(environment: Environment): Promise<string[]> {
  const database = new DataSource({ ...dataSourceOptions(environment), extra: {} });
  await database.initialize();

  try {
    return await database.transaction(async (holder) => {
      await waitForLock('migrate', holder);
      const ran = await database.runMigrations({ transaction: 'each' });
      return ran.map(({ name }) => name);
    });
  } finally {
    await database.destroy();
  }
}
