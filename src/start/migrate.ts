import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type DataSourceOptions, QueryFailedError } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import { waitForLock } from '../database/advisory-lock.js';
import { type DatabaseAddress, readFirst, serviceAddress } from '../database/first-connection.js';
import { Migrations } from '../database/migrations.js';
import { PostgresNaming } from '../database/naming.js';
import { CONNECT_TIMEOUT_MS } from '../database/pool.js';
import { type SchemaDifference, schemaDifference } from '../database/schema-difference.js';
import { schemaBehind } from '../database/schema-findings.js';
import { setSession } from '../database/session-settings.js';
import type { Product } from './product.js';

/** All requests that need the same table queue behind a migration that waits for a lock. */
const LOCK_TIMEOUT_MS = 5_000;
const TRIES = 3;

/** What the requests that queued have to get on with in between. */
const REST_MS = 1_000;

/** The longest limit that PostgreSQL takes, 24 days: `pg` does not send 0. */
const NO_LIMIT_MS = 2_147_483_647;

const LOCK_NOT_AVAILABLE = '55P03';
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Brings the schema up to date with the rights that the service has, and returns the names of the migrations that ran.
 * Replicas that start together take turns; each migration is a transaction of its own. Throws an OperatorError where the
 * database does not answer, or the role may not change the schema.
 */
export function migrate(environment: Environment, product: Product = {}): Promise<string[]> {
  return migrateAt(serviceAddress(environment), new Migrations(product.migrations));
}

export async function migrateAt(address: DatabaseAddress, migrations: Migrations): Promise<string[]> {
  const { missing } = await readSchema(address, migrations);
  return missing.length === 0 ? [] : runMigrations(address, migrations);
}

/** Asks with one plain connection: to set up TypeORM's migrator takes a tenth of a second of each start. */
export function readSchema(address: DatabaseAddress, { names }: Migrations): Promise<SchemaDifference> {
  return readFirst(address, (query) => schemaDifference({ query }, names));
}

async function runMigrations(address: DatabaseAddress, migrations: Migrations): Promise<string[]> {
  const database = new DataSource(await migratorOptions(address, migrations));
  await database.initialize();

  try {
    return await database.transaction(async (holder) => {
      await waitForLock('migrate', holder);
      const { missing } = await schemaDifference(database, migrations.names);
      await runPending(database, migrations);
      return missing;
    });
  } finally {
    await database.destroy();
  }
}

async function runPending(database: DataSource, { names }: Migrations): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await database.runMigrations();
      return;
    } catch (error) {
      const code = error instanceof QueryFailedError ? error.driverError.code : undefined;
      if (code === INSUFFICIENT_PRIVILEGE) throw await rightsMissing(database, names);
      if (code !== LOCK_NOT_AVAILABLE) throw error;
      if (tries === TRIES) throw await locked(database, names);
    }
    await sleep(REST_MS);
  }
}

async function rightsMissing(database: DataSource, names: string[]): Promise<OperatorError> {
  const [{ role }] = await database.query('SELECT current_user AS role');
  const { missing } = await schemaDifference(database, names);
  return new OperatorError(schemaBehind(missing, `, and the role ${role} may not change the schema`));
}

async function locked(database: DataSource, names: string[]): Promise<OperatorError> {
  const [next] = (await schemaDifference(database, names)).missing;
  return new OperatorError({
    code: 'MIGRATION_LOCKED',
    severity: 'error',
    text: `${next} waited ${TRIES} times for a lock that another transaction holds.`,
    fix: `Find that transaction with: SELECT pid, query FROM pg_stat_activity WHERE state <> 'idle' ORDER BY xact_start; end it, and migrate again.`,
  });
}

/** A migration may take as long as it needs, also where the role has a time limit by default. */
export async function migratorOptions(
  { url }: DatabaseAddress,
  migrations: Migrations,
): Promise<DataSourceOptions> {
  return {
    type: 'postgres',
    ...(url !== undefined && { url }),
    migrations: await migrations.load(),
    migrationsTransactionMode: 'each',
    namingStrategy: new PostgresNaming(),
    applicationName: 'latchkey',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    // It prints only what DEBUG asks for: the other loggers write a line of their own when a migration fails.
    logger: 'debug',
    extra: { onConnect: setSession, lock_timeout: LOCK_TIMEOUT_MS, statement_timeout: NO_LIMIT_MS },
  };
}
