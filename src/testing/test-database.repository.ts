import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { EmbeddedPostgres } from '../../tools/embedded-postgres/embedded-postgres.js';

/** Nothing outlives a run, so nothing needs to reach the disk. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' };

/** A name says which process made the database, so that the next run can drop what a killed one left behind. */
const NAME = 'latchkey_test_';

/** An empty database of its own, on a PostgreSQL that it starts or that runs already. */
export class TestDatabase {
  private constructor(
    readonly url: string,
    private readonly name: string,
    private readonly serverUrl: string,
    private readonly stopServer: () => Promise<void>,
  ) {}

  /** Without the address of a server it starts an embedded one, whose data is in `dataDir`. */
  static async create(serverUrl: string | undefined, dataDir: string): Promise<TestDatabase> {
    const server = serverUrl
      ? { url: serverUrl, stop: async () => {} }
      : await EmbeddedPostgres.start({ dataDir, settings: SETTINGS });
    const name = `${NAME}${process.pid}_${randomBytes(6).toString('hex')}`;
    // On a server that machines share, the process of a leftover may run on another one.
    if (!serverUrl) await dropLeftovers(server.url);
    await onServer(server.url, (query) => query(`CREATE DATABASE ${name}`));
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return new TestDatabase(url.href, name, server.url, () => server.stop());
  }

  /** Whether the service has sent every mail that was asked for. */
  async hasSentAll(): Promise<boolean> {
    return onServer(this.url, async (query) => {
      const [row] = await query(
        `SELECT NOT EXISTS (SELECT FROM link_requests)
            AND NOT EXISTS (SELECT FROM outbox_mails WHERE finished_at IS NULL AND created_at <= now()) AS "isDone"`,
      );
      return row?.isDone === true;
    });
  }

  async drop(): Promise<void> {
    await onServer(this.serverUrl, (query) => query(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`));
    await this.stopServer();
  }
}

type Query = (sql: string) => Promise<Record<string, unknown>[]>;

async function onServer<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(async (sql) => (await client.query(sql)).rows).finally(() => client.end());
}

async function dropLeftovers(url: string): Promise<void> {
  await onServer(url, async (query) => {
    const found = await query(`SELECT datname FROM pg_database WHERE datname LIKE '${NAME}%'`);
    for (const name of found.map(({ datname }) => String(datname)))
      if (!isAlive(Number(name.slice(NAME.length).split('_')[0])))
        await query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
