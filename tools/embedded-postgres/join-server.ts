import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connect } from './connect.js';
import type { Server } from './server.js';
import { ServerUse } from './server-use.js';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 25;
const MAINTENANCE_DATABASE = 'postgres';
const INVALID_PASSWORD = '28P01';
const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

/**
 * Begins to use the server of a cluster; launches it if it does not run. When several processes launch it at once,
 * PostgreSQL lets one of them succeed, and all use that server.
 */
export async function joinServer(
  server: Server,
  database: string,
): Promise<{ port: number; use: ServerUse }> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let lastError: unknown;

  while (performance.now() < deadline) {
    const postmaster = await server.find();
    if (!postmaster) await server.launch(deadline);
    if (postmaster?.isReady) {
      const url = server.url(postmaster.port, MAINTENANCE_DATABASE);
      try {
        await ensureDatabase(url, database);
        const use = await ServerUse.begin(url);
        // A stopping server lets waiting sessions through for a moment, after it has said so in postmaster.pid.
        if ((await server.find())?.isReady) return { port: postmaster.port, use };
      } catch (error) {
        lastError = refuseWrongPassword(error);
      }
    }
    await sleep(POLL_MS);
  }
  throw new Error(`PostgreSQL was not ready within ${START_TIMEOUT_MS / 1000} seconds.`, {
    cause: lastError,
  });
}

/** Creates a database unless it exists, or another process is just creating it. */
async function ensureDatabase(maintenanceUrl: string, name: string): Promise<void> {
  const client = await connect(maintenanceUrl);
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0)
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`).catch(unlessItExists);
  } finally {
    await client.end();
  }
}

function unlessItExists(error: unknown): void {
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  if (code !== DUPLICATE_DATABASE && code !== UNIQUE_VIOLATION) throw error;
}

/**
 * Any other error passes: a server that is stopping refuses connections, and the next look finds that it has ended.
 */
function refuseWrongPassword(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== INVALID_PASSWORD) return error;
  throw new Error('The running PostgreSQL refuses the password in its data folder: was the file changed?', {
    cause: error,
  });
}
