import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type DataSourceOptions, QueryFailedError } from 'typeorm';
import type { Environment } from './config/environment.js';
import { OperatorError } from './config/operator-error.js';
import { waitForLock } from './database/advisory-lock.js';
import { type DatabaseAddress, readFirst, serviceAddress } from './database/first-connection.js';
import { loadMigrations } from './database/migrations.js';
import { PostgresNaming } from './database/naming.js';
import { CONNECT_TIMEOUT_MS } from './database/pool.js';
import { type SchemaDifference, schemaDifference } from './database/schema-difference.js';
import { schemaBehind } from './database/schema-findings.js';

/** All requests that need the same table queue behind a migration that waits for a lock. */
const LOCK_TIMEOUT_MS = 5_000;
const TRIES = 3;

/** What the requests that queued have to get on with in between. */
const REST_MS = 1_000;

const LOCK_NOT_AVAILABLE = '55P03';
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Brings the schema up to date with the rights that the service has, and returns the names of the migrations that ran.
 * Replicas that start together take turns; each migration is a transaction of its own.
 */
export function migrate(environment: Environment): Promise<string[]> {
  return migrateAt(serviceAddress(environment));
}

export async function migrateAt(address: DatabaseAddress): Promise<string[]> {
  const { missing } = await readSchema(address);
  return missing.length === 0 ? [] : runMigrations(address);
}

/** Asks with one plain connection: to set up TypeORM's migrator takes a tenth of a second of each start. */
export function readSchema(address: DatabaseAddress): Promise<SchemaDifference> {
  return readFirst(address, (query) => schemaDifference({ query }));
}

async function runMigrations(address: DatabaseAddress): Promise<string[]> {
  const database = new DataSource(await migratorOptions(address));
  await database.initialize();

  try {
    return await database.transaction(async (holder) => {
      await waitForLock('migrate', holder);
      const { missing } = await schemaDifference(database);
      await runPending(database);
      return missing;
    });
  } finally {
    await database.destroy();
  }
}

async function runPending(database: DataSource): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await database.runMigrations();
      return;
    } catch (error) {
      const code = error instanceof QueryFailedError ? error.driverError.code : undefined;
      if (code === INSUFFICIENT_PRIVILEGE) throw await rightsMissing(database);
      if (code !== LOCK_NOT_AVAILABLE) throw error;
      if (tries === TRIES) throw await locked(database);
    }
    await sleep(REST_MS);
  }
}

async function rightsMissing(database: DataSource): Promise<OperatorError> {
  const [{ role }] = await database.query('SELECT current_user AS role');
  const { missing } = await schemaDifference(database);
  return new OperatorError(schemaBehind(missing, `, and the role ${role} may not change the schema`));
}

async function locked(database: DataSource): Promise<OperatorError> {
  const [next] = (await schemaDifference(database)).missing;
  return new OperatorError({
    code: 'MIGRATION_LOCKED',
    severity: 'error',
    text: `${next} waited ${TRIES} times for a lock that another transaction holds.`,
    fix: `Find that transaction with: SELECT pid, query FROM pg_stat_activity WHERE state <> 'idle' ORDER BY xact_start; end it, and migrate again.`,
  });
}

/** A migration may take as long as it needs, so the time limit of the service's statements is left out. */
export async function migratorOptions({ url }: DatabaseAddress): Promise<DataSourceOptions> {
  return {
    type: 'postgres',
    ...(url !== undefined && { url }),
    migrations: await loadMigrations(),
    migrationsTransactionMode: 'each',
    namingStrategy: new PostgresNaming(),
    applicationName: 'latchkey',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    // It prints only what DEBUG asks for: the other loggers write a line of their own when a migration fails.
    logger: 'debug',
    extra: { lock_timeout: LOCK_TIMEOUT_MS },
  };
}
