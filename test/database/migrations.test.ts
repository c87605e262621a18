import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { MIGRATION_NAMES } from '../../src/database/migrations.js';
import { migratorOptions } from '../../src/migrate.js';
import { TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let source: DataSource;
beforeAll(async () => {
  database = await TestDatabase.create();
  const environment = parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_DATABASE_URL: database.url });
  source = await new DataSource(await migratorOptions(environment)).initialize();
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

/** The statements that would turn the schema as it is into the one the entities describe. */
async function drift(): Promise<string[]> {
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

describe('the migrations', () => {
  it('are all listed, in the order of their numbers', async () => {
    const numbers = readdirSync('migrations').map((file) => file.split('-')[0]);
    expect(MIGRATION_NAMES.map((name) => name.match(/\d+$/)?.[0])).toEqual(numbers.sort());
    expect(source.migrations.map((migration) => migration.constructor.name)).toEqual(MIGRATION_NAMES);
  });

  it('create the schema that the entities describe', async () => {
    expect(await drift()).toEqual([]);
  });

  it('can all be undone, one by one, and run again', async () => {
    for (const _ of source.migrations) await source.undoLastMigration();
    const left = await database.rows(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
    expect(left).toEqual([{ tablename: 'migrations' }]);

    expect(await source.runMigrations()).toHaveLength(source.migrations.length);
    expect(await drift()).toEqual([]);
  });
});
