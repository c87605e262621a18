import { type TestDatabase, WITHOUT_LAST_SEEN } from '../../support/test-database.js';
import { idOf, STRANGERS, THEIRS } from './people.js';
import { ROWS } from './rows.js';

/** Tables that a request may write although it is refused: they hold only that it came. */
const NOTES = ['audit_events', 'audit_chains', 'org_entries', 'rate_limits', 'migrations'];

/** What a stranger may cause for an address: mails with links. */
const MAILED = ['one_time_tokens', 'mailed_codes', 'outbox_mails', 'link_requests', 'signups'];

/** The rows of the people in a database, which can be compared and restored. */
export class World {
  private constructor(
    private readonly database: TestDatabase,
    private readonly tables: string[],
  ) {}

  /** Puts the people into an empty database. */
  static async create(database: TestDatabase): Promise<World> {
    for (const [table, rows] of Object.entries(ROWS))
      await database.rows(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
        JSON.stringify(rows.map((row) => ({ created_at: new Date(), ...row }))),
      ]);
    // Deleted in the opposite order: what others refer to last, and first the requests for links, which their worker locks
    // before the signups and users that they are for.
    const rows = await database.rows(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL ($1)
        ORDER BY tablename = 'organizations' DESC, tablename = 'users' DESC, tablename = 'org_roles' DESC, tablename = 'link_requests'`,
      [NOTES],
    );
    const tables = rows.map(({ name }) => name);
    const copies = tables.map((table) => `CREATE TABLE kept.${table} AS TABLE ${table}`);
    await database.rows(['CREATE SCHEMA kept', ...copies].join(';'));
    return new World(database, tables);
  }

  /** Puts all rows back as they were in the beginning; with so few this is quicker than TRUNCATE. */
  async restore(): Promise<void> {
    const deletes = this.tables.toReversed().map((table) => `DELETE FROM ${table}`);
    const inserts = this.tables.map((table) => `INSERT INTO ${table} SELECT * FROM kept.${table}`);
    await this.database.rows([...deletes, ...inserts].join(';'));
  }

  /** The digest of all rows, by table. */
  everything(): Promise<unknown> {
    return this.digests(this.tables, '');
  }

  /** The digest of the rows about the other organization and its people, by table. */
  theirs(): Promise<unknown> {
    const ids = [THEIRS, ...Object.keys(STRANGERS).map(idOf)].join('|');
    return this.digests(
      this.tables.filter((table) => !MAILED.includes(table)),
      `WHERE t::text ~ '${ids}'`,
    );
  }

  private digests(tables: string[], where: string): Promise<unknown> {
    const digest = (table: string) =>
      `SELECT '${table}' AS table, md5(string_agg(row::text, '' ORDER BY row))
         FROM (SELECT ${WITHOUT_LAST_SEEN} AS row FROM ${table} t ${where}) rows`;
    // Without an order, tables that have grown are read in parallel, and come as they are done.
    return this.database.rows(`${tables.map(digest).join(' UNION ALL ')} ORDER BY 1`);
  }
}
