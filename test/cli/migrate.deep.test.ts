import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Migrations } from '../../src/database/migrations.js';
import { callCli, type Run, runProgram } from '../support/command-line.js';
import { Held } from '../support/lock-step.js';
import { TestDatabase } from '../support/test-database.js';

const migrations = new Migrations();
const LAST = migrations.names.at(-1) ?? '';

let database: TestDatabase;
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(() => database.close());

/** The variables of a deployment that has two roles. */
const twoRoles = () => ({
  SVC_ENVIRONMENT: 'dev',
  SVC_DATABASE_URL: database.url,
  SVC_DATABASE_OWNER_URL: database.ownerUrl,
});

const cli = (words: string[], variables: Record<string, string> = {}): Promise<Run> =>
  callCli(words, { ...twoRoles(), ...variables });

const program = (words: string[]): Promise<Run> => runProgram('cli', words, twoRoles());

async function empty(): Promise<void> {
  await database.rows('DROP SCHEMA public CASCADE');
  await database.rows('CREATE SCHEMA public');
  await database.rows('GRANT USAGE ON SCHEMA public TO PUBLIC');
}

/** Takes the last migration back. */
async function takeLastBack(): Promise<void> {
  await database.rows('DELETE FROM migrations WHERE name = $1', [LAST]);
  const Last = (await migrations.load()).at(-1) as new () => MigrationInterface;
  await new Last().down({ query: (sql: string) => database.rows(sql) } as QueryRunner);
}

const addFutureMigration = () =>
  database.rows(`INSERT INTO migrations (timestamp, name) VALUES (1999999999999, 'AddWings1999999999999')`);

/** Every migration that the database has seen, and every column and row count of its tables. */
async function state(): Promise<unknown> {
  return database.rows(
    `SELECT table_name, column_name, (xpath('/row/n/text()', query_to_xml(
              format('SELECT count(*) AS n FROM %I', table_name), false, true, '')))[1]::text AS rows
       FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
  );
}

describe('migrate', () => {
  it('prints the statements with --dry-run, and changes nothing', async () => {
    await empty();

    const { code, lines } = await cli(['migrate', '--dry-run']);

    expect(code).toBe(0);
    expect(lines.filter((line) => line.startsWith('-- '))).toEqual(
      migrations.names.map((name) => `-- ${name}`),
    );
    expect(lines).toContain('CREATE TABLE organizations (');
    expect(await state()).toEqual([]);
  });

  it('migrates an empty database as the owner, so that the other role can serve', async () => {
    await empty();

    const { code, lines } = await program(['migrate']);

    expect({ code, lines }).toEqual({ code: 0, lines: migrations.names.map((name) => `Migrated: ${name}`) });
    expect(await cli(['migrate'])).toMatchObject({ code: 0, lines: ['No migration is missing.'] });
    expect(await cli(['mail', 'list'])).toMatchObject({ code: 0 });
  });

  it('leaves a newer schema as it is, so that an earlier version can start on it', async () => {
    await addFutureMigration();

    const { code, output, lines } = await cli(['migrate']);

    expect({ code, lines }).toEqual({ code: 0, lines: ['No migration is missing.'] });
    expect(output).toContain(
      'SCHEMA_AHEAD: The database is newer than this version: it has AddWings1999999999999.',
    );
  });

  it('says that the role may not change the schema, as the start does', async () => {
    await takeLastBack();
    const served = { SVC_DATABASE_OWNER_URL: '' };

    for (const { code, output } of [
      await cli(['migrate'], served),
      await runProgram('main', [], { SVC_ENVIRONMENT: 'dev', SVC_DATABASE_URL: database.url }),
    ]) {
      expect(output).toContain(
        `SCHEMA_BEHIND: The database lacks a migration of this version, and the role latchkey_tests may not change the schema: ${LAST}. Run: npm run cli -- migrate\n`,
      );
      expect(output).not.toContain('must be owner');
      expect(output).not.toContain('    at ');
      expect(code).toBe(1);
    }
  });

  it('needs no other setting than the address of the owner', async () => {
    const bare = await callCli(['migrate'], { SVC_DATABASE_OWNER_URL: database.ownerUrl });
    expect(bare).toMatchObject({ code: 0, lines: ['No migration is missing.'] });

    const without = await callCli(['migrate'], { SVC_ENVIRONMENT: 'prod' });
    expect(without).toMatchObject({
      code: 1,
      output: expect.stringContaining('SVC_DATABASE_URL is missing'),
    });
    expect(without.output).not.toContain('SVC_JWT_SECRET_KEY');
  });

  it('names the variable of the owner when its address is wrong', async () => {
    const { code, output } = await cli(['migrate'], {
      SVC_DATABASE_OWNER_URL: 'postgres://owner@127.0.0.1:1/x',
    });

    expect(output).toContain('which SVC_DATABASE_OWNER_URL names');
    expect(code).toBe(1);
  });

  it('gives up when another transaction holds a lock for long, and migrates when it does not', async () => {
    await takeLastBack();
    // Each migration writes its name there, whatever else it locks.
    const held = await Held.by(database, 'LOCK TABLE migrations IN SHARE MODE', []);

    const { code, output } = await cli(['migrate']);
    expect(output).toContain(
      `MIGRATION_LOCKED: ${LAST} waited 3 times for a lock that another transaction holds.`,
    );
    expect(code).toBe(1);

    const migrated = cli(['migrate']);
    await held.untilWaiting(1);
    await held.release();
    expect(await migrated).toMatchObject({ code: 0, lines: [`Migrated: ${LAST}`] });
  });
});

describe('an index that is built beside the requests', () => {
  const NAME = 'users_own_role_id_idx';
  const index = () => database.value('SELECT indexdef FROM pg_indexes WHERE indexname = $1', [NAME]);

  it('is built anew where a start that was cut off left it unfinished', async () => {
    const whole = await index();
    await database.rows(`DELETE FROM migrations WHERE name = 'IndexMemberships1795204800261'`);
    await database.rows(`DROP INDEX ${NAME}; CREATE INDEX ${NAME} ON users (name)`);

    expect(await cli(['migrate'])).toMatchObject({ code: 0 });
    expect(await index()).toBe(whole);
  });

  it('does not wait for the other replicas, which wait for their turn to migrate', async () => {
    await database.rows(`DELETE FROM migrations WHERE name = 'IndexMemberships1795204800261'`);

    const runs = await Promise.all([program(['migrate']), program(['migrate']), program(['migrate'])]);

    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(runs.flatMap(({ lines }) => lines)).toContain('Migrated: IndexMemberships1795204800261');
  });
});

const COMMANDS = [
  ['create-admin', 'root@example.com'],
  ['prune'],
  ['mode-plan'],
  ['audit', 'verify'],
  ['mail', 'list'],
  ['doctor'],
];

/** All but doctor have the same beginning. */
const TWO = [['prune'], ['doctor']];

describe('every other command', () => {
  it.each([
    ['an empty database', empty, TWO],
    ['an older schema', takeLastBack, COMMANDS],
  ])(
    'refuses %s, names the command that migrates, and changes nothing',
    async (_, change, commands) => {
      await change();
      const before = await state();

      const runs = await Promise.all(commands.map((words) => cli(words)));

      for (const { code, output } of runs) {
        expect(output).toMatch(/SCHEMA_BEHIND: The database lacks .+: .+\. Run: npm run cli -- migrate\n/);
        expect(output).not.toContain('    at ');
        expect(code).toBe(1);
      }
      expect(await state()).toEqual(before);
    },
    60_000,
  );

  it('works with a newer schema, and says that it is one', async () => {
    await addFutureMigration();

    const runs = await Promise.all(TWO.map((words) => cli(words)));

    for (const { code, output } of runs) {
      expect(output).toContain('SCHEMA_AHEAD: ');
      expect(code).toBe(0);
    }
  });
});
