import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A row `t` without what the service notes of requests in the background, up to seconds after their answers. */
export const WITHOUT_LAST_SEEN = `to_jsonb(t) - '{last_seen_at, longest_idle, entered_at}'::text[]`;

/** A database of a test file's own, copied from the migrated template. */
export class TestDatabase {
  private constructor(
    /** The address that services use, with a role that may not change the schema. */
    readonly url: string,
    /** The address of the role that owns the tables; a test arranges and looks with it. */
    readonly ownerUrl: string,
    readonly name: string,
    private readonly pool: pg.Pool,
  ) {}

  static async create(): Promise<TestDatabase> {
    const template = process.env.LATCHKEY_TEST_TEMPLATE;
    if (template === undefined) throw new Error('The test server is not up: run the tests with npm test');

    const url = new URL(template);
    const name = `${url.pathname.slice(1)}_${randomBytes(8).toString('hex')}`;
    await onServer(`CREATE DATABASE ${name} ${process.env.LATCHKEY_TEST_COPY}`);
    url.pathname = `/${name}`;
    const served = Object.assign(new URL(url), servingRole());
    return TestDatabase.at(served.href, url.href);
  }

  /** The database of an address, wherever it is. */
  static at(url: string, ownerUrl = url): TestDatabase {
    const pool = new pg.Pool({ connectionString: ownerUrl, max: 4 });
    // Otherwise a server that hangs up on an idle connection would end the test.
    pool.on('error', () => {});
    return new TestDatabase(url, ownerUrl, new URL(url).pathname.slice(1), pool);
  }

  /** The rows of a statement. */
  // biome-ignore lint/suspicious/noExplicitAny: the test that asks knows the columns.
  async rows(sql: string, parameters: unknown[] = []): Promise<any[]> {
    return (await this.pool.query(sql, parameters)).rows;
  }

  /** The one value of a statement. */
  // biome-ignore lint/suspicious/noExplicitAny: the test that asks knows the type.
  async value(sql: string, parameters: unknown[] = []): Promise<any> {
    const [row] = await this.rows(sql, parameters);
    return row && Object.values(row)[0];
  }

  /** Ends every connection of the service to the database, and lets no new one in. */
  async takeDown(): Promise<void> {
    await onServer(`ALTER DATABASE ${this.name} ALLOW_CONNECTIONS false`);
    await onServer(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                     WHERE datname = '${this.name}' AND application_name = 'latchkey'`);
  }

  async bringUp(): Promise<void> {
    await onServer(`ALTER DATABASE ${this.name} ALLOW_CONNECTIONS true`);
  }

  /** Does something while the database is down. */
  async whileDown<T>(work: () => Promise<T>): Promise<T> {
    await this.takeDown();
    return work().finally(() => this.bringUp());
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

function servingRole(): { username: string; password: string } {
  const { name, password } = JSON.parse(process.env.LATCHKEY_TEST_ROLE ?? '{}');
  return { username: name, password };
}

/** Runs a statement outside the databases of the tests, where those about a whole database belong. */
export async function onServer(sql: string): Promise<void> {
  const url = new URL(process.env.LATCHKEY_TEST_TEMPLATE ?? '');
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
