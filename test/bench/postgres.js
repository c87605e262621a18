import { readFileSync } from 'node:fs';
import pg from 'pg';
import { EmbeddedPostgres } from '../../dist/tools/embedded-postgres/embedded-postgres.js';
import { NAMES } from './seeds.js';

const DATA_DIR = '.data/bench';

/** As PostgreSQL comes, but for counting statements, and for memory that holds all tables. */
const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  shared_buffers: '1GB',
  max_wal_size: '4GB',
  max_connections: '200',
};

/** The one PostgreSQL that every contender has a database in. */
export class Postgres {
  #server;
  #admin;

  static async start(report) {
    const postgres = new Postgres();
    postgres.#server = await EmbeddedPostgres.start({ dataDir: DATA_DIR, settings: SETTINGS, report });
    postgres.#admin = await connect(postgres.#server.url);
    await postgres.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    postgres.pid = await postgres.#postmaster();
    return postgres;
  }

  /** Runs a statement beside the contenders' databases. */
  async query(sql, parameters) {
    return (await this.#admin.query(sql, parameters)).rows;
  }

  /** Makes a database, and lets `seed` fill it. */
  async createDatabase(name, seed) {
    const fullName = `bench_${name.replaceAll('-', '_')}`;
    await this.query(`DROP DATABASE IF EXISTS ${fullName} WITH (FORCE)`);
    await this.query(`CREATE DATABASE ${fullName}`);
    const url = new URL(this.#server.url);
    url.pathname = `/${fullName}`;
    const database = { name: fullName, url: url.href };
    await this.run(database, NAMES);
    await seed({ url: url.href, query: (sql, parameters) => this.run(database, sql, parameters) });
    // What would else be done at some moment of the measurement.
    await this.run(database, 'VACUUM (FREEZE, ANALYZE)');
    await this.run(database, 'CHECKPOINT');
    return database;
  }

  /** Runs a statement in a contender's database, and returns its rows. */
  async run({ url }, sql, parameters) {
    const client = await connect(url);
    const { rows } = await client.query(sql, parameters).finally(() => client.end());
    return rows;
  }

  async stop() {
    const leftovers = await this.query(`SELECT datname FROM pg_database WHERE datname LIKE 'bench\\_%'`);
    for (const { datname } of leftovers) await this.query(`DROP DATABASE ${datname} WITH (FORCE)`);
    await this.#admin.end();
    await this.#server.stop();
  }

  async #postmaster() {
    const [{ pid }] = await this.query('SELECT pg_backend_pid() AS pid');
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  }
}

async function connect(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
