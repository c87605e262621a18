import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { planMigrations } from '../../src/cli/migrate.js';
import { Migrations } from '../../src/database/migrations.js';
import { migratorOptions } from '../../src/start/migrate.js';
import { TestDatabase } from '../support/test-database.js';

/** Until the first release no other version could be served by the same database. */
const LAST_BEFORE_A_RELEASE = '1795204800260';

/** In a rolling update the version before still serves when these have run. */
const TAKES_AWAY = /\b(DROP|RENAME|SET NOT NULL|ALTER( COLUMN)? \w+ TYPE)\b/i;

/** A check in place of another of its name, which must allow more. */
const REPLACED_CHECK = /\bDROP CONSTRAINT (\w+_check),\s+ADD CONSTRAINT \1\b/gi;

const takesAway = (statement: string) => TAKES_AWAY.test(statement.replace(REPLACED_CHECK, ''));

/** What a migration sends in one of its directions, without a database. */
async function statementsOf(migration: MigrationInterface, direction: 'up' | 'down'): Promise<string> {
  const statements: string[] = [];
  await migration[direction]({
    query: async (sql: string) => statements.push(sql),
  } as unknown as QueryRunner);
  return statements.join(';\n');
}

/** The values that the checks in some statements allow. */
const allowedBy = (sql: string) =>
  [...sql.matchAll(/CHECK \(\w+ IN \(([^)]*)\)\)/g)].flatMap(([, values = '']) => values.split(', '));

const migrations = new Migrations();

let database: TestDatabase;
let source: DataSource;
beforeAll(async () => {
  database = await TestDatabase.create();
  source = await new DataSource(
    await migratorOptions({ variable: 'SVC_DATABASE_OWNER_URL', url: database.ownerUrl }, migrations),
  ).initialize();
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
    expect(migrations.names.map((name) => name.match(/\d+$/)?.[0])).toEqual(numbers.sort());
    expect(source.migrations.map((migration) => migration.constructor.name)).toEqual(migrations.names);
  });

  it('create the schema that the entities describe', async () => {
    expect(await drift()).toEqual([]);
  });

  it('send nothing but statements, so that migrate --dry-run can print them', async () => {
    const planned = await planMigrations(migrations.names, migrations);
    expect(planned.map(({ name }) => name)).toEqual(migrations.names);
    for (const { statements } of planned) expect(statements).not.toEqual([]);
  });

  it('take nothing away that the version before may use', async () => {
    for (const { name, statements } of await planMigrations(migrations.names, migrations)) {
      if (name.slice(-LAST_BEFORE_A_RELEASE.length) <= LAST_BEFORE_A_RELEASE) continue;
      const file = readdirSync('migrations').find((each) => each.startsWith(name.match(/\d+$/)?.[0] ?? '-'));
      const says = /Unused since \d+\.\d+/.test(readFileSync(`migrations/${file}`, 'utf8'));
      expect([name, statements.some(takesAway) && !says]).toEqual([name, false]);
    }
  });

  it('replace a check only by one that allows all that the one before allowed, and more', async () => {
    const replacing = [];
    for (const migration of source.migrations) {
      const up = await statementsOf(migration, 'up').catch(() => '');
      if (up.match(REPLACED_CHECK) === null) continue;
      replacing.push(migration.constructor.name);
      const [after, before] = [allowedBy(up), allowedBy(await statementsOf(migration, 'down'))];
      expect(before.length).toBeGreaterThan(0);
      expect(after).toEqual(expect.arrayContaining(before));
      expect(after.length).toBeGreaterThan(before.length);
    }
    expect(replacing).toContain('AddPasskeys1795204800090');
  });

  it.each([
    ['ALTER TABLE users DROP COLUMN name', true],
    ['ALTER TABLE users RENAME TO people', true],
    ['ALTER TABLE users ALTER COLUMN name SET NOT NULL', true],
    ['ALTER TABLE users ALTER name TYPE varchar(9)', true],
    ['ALTER TABLE users ADD COLUMN nickname text', false],
    ['CREATE TABLE droplets (id uuid PRIMARY KEY)', false],
    ['ALTER TABLE users DROP CONSTRAINT role_check, ADD CONSTRAINT role_check CHECK (true)', false],
    ['ALTER TABLE users DROP CONSTRAINT role_check, ADD CONSTRAINT other_check CHECK (true)', true],
  ])('find that "%s" takes something away: %s', (statement, does) => {
    expect(takesAway(statement)).toBe(does);
  });

  it('can all be undone, one by one, and run again', async () => {
    for (const _ of source.migrations) await source.undoLastMigration();
    const left = await database.rows(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
    expect(left).toEqual([{ tablename: 'migrations' }]);

    expect(await source.runMigrations()).toHaveLength(source.migrations.length);
    expect(await drift()).toEqual([]);
  });
});
