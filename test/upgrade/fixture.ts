import { DataSource } from 'typeorm';
import { Migrations } from '../../src/database/migrations.js';
import { migratorOptions } from '../../src/start/migrate.js';
import type { TestDatabase } from '../support/test-database.js';

/** A database that a version has left: its migrations, the rows of each table, and what its users know. */
export interface Fixture {
  /** When it was made; rows are moved by the time since, so that nothing has expired. */
  madeAt: string;
  migrations: string[];
  rows: Record<string, object[]>;
  sequences: Record<string, string>;
  known: Known;
}

/** What users of that version have in their browsers, mailboxes and heads. */
export interface Known {
  /** The value of a session cookie, and the address of its user. */
  session: string;
  email: string;
  /** The address of the admin of an organization that is subscribed. */
  admin: string;
  /** An invitation that is pending. */
  invitation: string;
  /** An address that a mail waits for. */
  waiting: string;
  /** The link of a signup that is pending, and the cookie of the browser that signed up. */
  signup: { token: string; cookies: [string, string][] };
}

/** Written by TypeORM. */
const BOOKKEEPING = 'migrations';

/** Their hashes hold their times. */
const UNMOVED = ['audit_events'];

const COLUMNS = `
  SELECT table_name AS "table", column_name AS name, data_type AS type
    FROM information_schema.columns
   WHERE table_schema = 'public' AND table_name <> '${BOOKKEEPING}' AND is_generated = 'NEVER'
   ORDER BY table_name, ordinal_position`;

interface Column {
  table: string;
  name: string;
  type: string;
}

/** Reads all that a database holds. */
export async function readFixture(database: TestDatabase, known: Known): Promise<Fixture> {
  const rows: Fixture['rows'] = {};
  for (const table of tablesOf(await database.rows(COLUMNS)))
    rows[table] = await database.value(`SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM ${table} t`);
  const names = await database.rows(`SELECT name FROM ${BOOKKEEPING} ORDER BY id`);
  const sequences = await database.rows(
    `SELECT sequencename AS name, last_value AS value FROM pg_sequences
      WHERE schemaname = 'public' AND sequencename <> '${BOOKKEEPING}_id_seq' AND last_value IS NOT NULL`,
  );
  return {
    madeAt: new Date().toISOString(),
    migrations: names.map(({ name }) => name),
    rows,
    sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, String(value)])),
    known,
  };
}

/** Makes of an empty database one that the version of the fixture has left. */
export async function loadFixture(database: TestDatabase, fixture: Fixture): Promise<void> {
  await migrateAsThen(database, fixture.migrations);
  const columns: Column[] = await database.rows(COLUMNS);
  const statements = Object.keys(fixture.rows).flatMap((table) => insertion(table, columns, fixture));
  const sequences = Object.entries(fixture.sequences).map(
    ([name, value]) => `SELECT setval('${name}', ${value})`,
  );
  // Some migrations insert rows of their own.
  const emptied = `TRUNCATE ${Object.keys(fixture.rows)}`;
  // Foreign keys are not checked meanwhile, so that the order of the tables does not matter.
  await database.rows(
    ['SET LOCAL session_replication_role = replica', emptied, ...statements, ...sequences].join(';\n'),
  );
}

async function migrateAsThen(database: TestDatabase, names: string[]): Promise<void> {
  const address = { variable: 'SVC_DATABASE_URL', url: database.ownerUrl };
  const options = await migratorOptions(address, new Migrations());
  const all = options.migrations as (new () => object)[];
  const source = new DataSource({ ...options, migrations: all.filter(({ name }) => names.includes(name)) });
  await source.initialize();
  await source.runMigrations({ transaction: 'each' }).finally(() => source.destroy());
}

/** The rows as they were, as long ago as they were then. */
function insertion(table: string, columns: Column[], { madeAt, rows }: Fixture): string {
  const own = columns.filter((column) => column.table === table);
  const moved = (name: string) => `${name} + (now() - '${madeAt}')`;
  const isMoved = (type: string) => type === 'timestamp with time zone' && !UNMOVED.includes(table);
  const values = own.map(({ name, type }) => (isMoved(type) ? moved(name) : name));
  const json = JSON.stringify(rows[table]).replaceAll("'", "''");
  return `INSERT INTO ${table} (${own.map(({ name }) => name)})
          SELECT ${values} FROM json_populate_recordset(NULL::${table}, '${json}')`;
}

function tablesOf(columns: Column[]): string[] {
  return [...new Set(columns.map(({ table }) => table))];
}
