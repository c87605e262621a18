import type { QueryRunner } from 'typeorm';
import { describeFinding } from '../config/preflight/finding.js';
import { readDatabaseEnvironment } from '../config/read-environment.js';
import { type DatabaseAddress, ownerAddress } from '../database/first-connection.js';
import { loadMigrations } from '../database/migrations.js';
import { schemaFindings } from '../database/schema-findings.js';
import { migrateAt, readSchema } from '../migrate.js';
import { provideDatabase } from '../provide-database.js';

/** `migrate`: brings the schema up to date, as the start of the service does. A newer schema is left as it is. */
export async function migrateSchema({ dryRun: isDryRun = false }): Promise<void> {
  const { environment, stop } = await provideDatabase(readDatabaseEnvironment(), (line) =>
    console.error(line),
  );
  const address = ownerAddress(environment);

  try {
    const { missing, unknown } = await readSchema(address);
    for (const ahead of schemaFindings({ missing: [], unknown })) console.error(describeFinding(ahead));
    if (missing.length === 0) console.log('No migration is missing.');
    else if (isDryRun) await printPlan(missing);
    else await runAt(address);
  } finally {
    await stop();
  }
}

async function runAt(address: DatabaseAddress): Promise<void> {
  for (const name of await migrateAt(address)) console.log(`Migrated: ${name}`);
}

async function printPlan(missing: string[]): Promise<void> {
  for (const { name, statements } of await planMigrations(missing)) {
    console.log(`-- ${name}`);
    for (const statement of statements) console.log(`${statement.trim()};`);
  }
}

/** The statements of a migration. */
export interface PlannedMigration {
  name: string;
  statements: string[];
}

/** The statements of the migrations that are missing, as they would run on tables without rows. */
export async function planMigrations(missing: string[]): Promise<PlannedMigration[]> {
  const migrations = (await loadMigrations()).filter(({ name }) => missing.includes(name));
  const planned: PlannedMigration[] = [];
  for (const Migration of migrations) {
    const statements: string[] = [];
    const query = async (sql: string) => {
      statements.push(sql);
      return [];
    };
    await new Migration().up({ query } as unknown as QueryRunner);
    planned.push({ name: Migration.name, statements });
  }
  return planned;
}
