import { readFileSync } from 'node:fs';
import pg from 'pg';

/** The same in every run, so that a server left behind by a killed one is joined, not left running. */
const DATA_DIR = '.data/test';

/** Nothing outlives the run, so nothing needs to reach the disk, to be replicated or to be vacuumed. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  max_connections: '200',
  // Each file opens a dozen connections, and each would derive a key by 4,096 rounds.
  scram_iterations: '1',
};

/** The role that the services of the tests connect as, so that every test shows which rights the service needs. */
const ROLE = { name: 'latchkey_tests', password: 'only-for-tests' };

/** Makes a migrated database for the run, which each test file copies. */
export default async function startPostgres() {
  // Jest requires this file, and Node can only import TypeScript.
  const { parseEnvironment } = await import('../../src/config/read-environment.js');
  const { migrate } = await import('../../src/start/migrate.js');
  const given = process.env.SVC_TEST_DATABASE_URL;
  const server = given ? { url: given, stop: async () => {} } : await startEmbedded();

  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect().catch((error) => {
    const where = given ? 'of SVC_TEST_DATABASE_URL ' : '';
    throw new Error(
      `The PostgreSQL ${where}at ${new URL(server.url).host} does not answer: ${error.message || error.code}`,
    );
  });
  globalThis.latchkeyTestServer = server;
  // On a server that machines share, the process of a leftover may run on another one.
  if (!given) await dropLeftovers(admin);
  const template = `test_${process.pid}`;
  await admin.query(`CREATE DATABASE ${template}`);
  await createRole(admin);
  process.env.LATCHKEY_TEST_COPY = `TEMPLATE ${template} ${await copyStrategy(admin)}`;
  await admin.end();

  const url = new URL(server.url);
  url.pathname = `/${template}`;
  await grantRights(url.href);
  await migrate(parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_DATABASE_URL: url.href }));
  process.env.LATCHKEY_TEST_TEMPLATE = url.href;
  process.env.LATCHKEY_TEST_ROLE = JSON.stringify(ROLE);
}

/** Roles belong to a server, which several runs may use at once. */
async function createRole(admin) {
  await admin.query(`DO $$ BEGIN
    CREATE ROLE ${ROLE.name} LOGIN PASSWORD '${ROLE.password}';
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$`);
}

/** How databases are copied: file by file, which is half the work of logging each page. PostgreSQL 14 knows no other. */
async function copyStrategy(admin) {
  const { rows } = await admin.query(
    `SELECT current_setting('server_version_num')::int >= 150000 AS "isNamed"`,
  );
  return rows[0].isNamed ? 'STRATEGY FILE_COPY' : '';
}

/** Gives the role what docs/deploy/roles.sql gives to the role that serves, within its database. */
async function grantRights(url) {
  const [, script] = readFileSync('docs/deploy/roles.sql', 'utf8').split('\\connect latchkey');
  const grants = script.match(/^(REVOKE|ALTER DEFAULT PRIVILEGES) .+$/gm).join('\n');
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(
    grants.replaceAll('latchkey_owner', 'CURRENT_USER').replaceAll('TO latchkey;', `TO ${ROLE.name};`),
  );
  await owner.end();
}

async function startEmbedded() {
  const { EmbeddedPostgres } = await import('../../tools/embedded-postgres/embedded-postgres.js');
  return EmbeddedPostgres.start({ dataDir: DATA_DIR, settings: SETTINGS });
}

/** Drops the databases of runs that are over. A run names its databases after its process. */
export async function dropLeftovers(admin, isOver = (pid) => !isAlive(pid)) {
  const { rows } = await admin.query(`SELECT datname FROM pg_database WHERE datname ~ '^test_\\d+'`);
  for (const { datname } of rows) {
    if (isOver(Number(datname.split('_')[1])))
      await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
