// npm run psql: opens the development database in psql; npm run psql -- -c 'SELECT 1' runs a statement.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readEnvironment } from '../src/config/read-environment.js';
import { provideDatabase } from '../src/start/provide-database.js';

const configured = await readEnvironment({ SVC_ENVIRONMENT: 'dev' });
const { environment, stop } = await provideDatabase(configured, (line) => console.error(line));
const url = new URL(environment.databaseUrl ?? '');
// A person who lists the processes of this machine reads their arguments.
const PGPASSWORD = decodeURIComponent(url.password);
url.password = '';

// Ctrl-C is for psql, which ends a statement and goes on.
process.on('SIGINT', () => {});
const psql = spawn('psql', [url.href, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...(PGPASSWORD && { PGPASSWORD }) },
});
psql.on('error', () => {
  const where = configured.databaseUrl
    ? 'in SVC_DATABASE_URL'
    : `in the file ${join(configured.dataDir, 'cluster', 'password')}`;
  console.error(
    `There is no psql on the PATH. Install PostgreSQL's client, or open ${url.href} in another; the password is ${where}.`,
  );
  process.exitCode = 127;
});
psql.on('close', async (code) => {
  process.exitCode ||= code ?? 1;
  await stop();
});
