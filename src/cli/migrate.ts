import type { QueryRunner } from 'typeorm';
import { describeFinding } from '../config/preflight/finding.js';
import { readDatabaseEnvironment } from '../config/read-environment.js';
import { type DatabaseAddress, ownerAddress } from '../database/first-connection.js';
import { type MigrationClass, Migrations } from '../database/migrations.js';
import { schemaFindings } from '../database/schema-findings.js';
import { migrateAt, readSchema } from '../start/migrate.js';
import type { Product } from '../start/product.js';
import { provideDatabase } from '../start/provide-database.js';

/** `migrate`: brings the schema up to date, as the start of the service does. A newer schema is left as it is. */
export async function migrateSchema(product: Product, { dryRun: isDryRun = false }): Promise<void> {
  const migrations = new Migrations(product.migrations);
  const { environment, stop } = await provideDatabase(await readDatabaseEnvironment(), (line) =>
    console.error(line),
  );
  const address = ownerAddress(environment);

  try {
    const { missing, unknown } = await readSchema(address, migrations);
    for (const ahead of schemaFindings({ missing: [], unknown })) console.error(describeFinding(ahead));
    if (missing.length === 0) console.log('No migration is missing.');
    else if (isDryRun) await printPlan(missing, migrations);
    else await runAt(address, migrations);
  } finally {
    await stop();
  }
}

async function runAt(address: DatabaseAddress, migrations: Migrations): Promise<void> {
  for (const name of await migrateAt(address, migrations)) console.log(`Migrated: ${name}`);
}

async function printPlan(missing: string[], migrations: Migrations): Promise<void> {
  for (const { name, statements } of await planMigrations(missing, migrations)) {
    console.log(`-- ${name}`);
    for (const statement of statements) console.log(`${statement.trim()};`);
  }
}

/** The statements of a migration. */
export interface PlannedMigration {
  name: string;
  statements: string[];
}

/**
 * The statements of the migrations that are missing, as they would run on tables without rows. Throws an Error for one
 * that does more than send statements.
 */
export async function planMigrations(missing: string[], migrations: Migrations): Promise<PlannedMigration[]> {
  const planned: PlannedMigration[] = [];
  for (const [index, migration] of (await migrations.load()).entries()) {
    const name = migrations.names[index] as string;
    if (missing.includes(name)) planned.push({ name, statements: await statementsOf(migration, name) });
  }
  return planned;
}

async function statementsOf(migration: MigrationClass, name: string): Promise<string[]> {
  const statements: string[] = [];
  const query = async (sql: string) => {
    statements.push(sql);
    return [];
  };
  const onlyQuery = new Proxy(
    { query },
    {
      get: (runner, part) => {
        if (part === 'query') return runner.query;
        throw new Error(`${name} cannot be printed: it uses ${String(part)}, and not only query.`);
      },
    },
  );
  await new migration().up(onlyQuery as unknown as QueryRunner);
  return statements;
}
