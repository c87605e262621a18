import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Environment } from './config/environment.js';
import { dataSourceOptions } from './data-source.js';
import { waitForLock } from './database/advisory-lock.js';
import { ImpatientClient } from './database/impatient-client.js';
import { loadMigrations } from './database/migrations.js';
import { CONNECT_TIMEOUT_MS } from './database/pool.js';
import { type SchemaDifference, schemaDifference } from './database/schema-difference.js';

const READ_TIMEOUT_MS = 10_000;

/**
 * Brings the schema up to date and returns the names of the migrations that ran. Replicas that start
 * together take turns; each migration is a transaction of its own.
 */
export async function migrate(environment: Environment): Promise<string[]> {
  const { missing } = await readSchema(environment);
  return missing.length === 0 ? [] : runMigrations(environment);
}

/** Asks with one plain connection: to set up TypeORM's migrator takes a tenth of a second of each start. */
async function readSchema({ databaseUrl }: Environment): Promise<SchemaDifference> {
  const client = new ImpatientClient({
    connectionString: databaseUrl,
    application_name: 'latchkey',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: READ_TIMEOUT_MS,
  });
  await client.connect();

  try {
    return await schemaDifference({ query: async (sql) => (await client.query(sql)).rows });
  } finally {
    await client.end();
  }
}

async function runMigrations(environment: Environment): Promise<string[]> {
  const database = new DataSource(await migratorOptions(environment));
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

/** A migration may take as long as it needs, so the time limits of the service's statements are left out. */
export async function migratorOptions(environment: Environment): Promise<DataSourceOptions> {
  return { ...dataSourceOptions(environment), extra: {}, migrations: await loadMigrations() };
}
