import pg from 'pg';
import { dropLeftovers } from './start-postgres.js';

/** Drops the databases of the run, and stops the embedded PostgreSQL unless another run uses it. */
export default async function stopPostgres() {
  const server = globalThis.latchkeyTestServer;
  if (!server) return;

  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await dropLeftovers(admin, (pid) => pid === process.pid);
  await admin.end();
  await server.stop();
}
