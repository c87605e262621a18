import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Attendance } from './attendance.js';
import { ensureDatabase } from './ensure-database.js';
import type { Server } from './server.js';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 25;
const MAINTENANCE_DATABASE = 'postgres';
const INVALID_PASSWORD = '28P01';

/**
 * Attends the server of a cluster, launched if none runs. Of processes that launch at once PostgreSQL lets one in,
 * and all attend that one.
 */
export async function joinServer(
  server: Server,
  database: string,
): Promise<{ port: number; attendance: Attendance }> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let obstacle: unknown;

  while (performance.now() < deadline) {
    const postmaster = await server.find();
    if (!postmaster) await server.launch(deadline);
    if (postmaster?.isReady) {
      const url = server.url(postmaster.port, MAINTENANCE_DATABASE);
      try {
        await ensureDatabase(url, database);
        const attendance = await Attendance.begin(url);
        // A stopping server lets waiting sessions through for a moment, after it has said so in postmaster.pid.
        if ((await server.find())?.isReady) return { port: postmaster.port, attendance };
      } catch (error) {
        obstacle = refuseWrongPassword(error);
      }
    }
    await sleep(POLL_MS);
  }
  throw new Error(`PostgreSQL was not ready within ${START_TIMEOUT_MS / 1000} seconds.`, { cause: obstacle });
}

/** Any other failure is of the moment: a server that is stopping lets nobody in, and the next look finds it gone. */
function refuseWrongPassword(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== INVALID_PASSWORD) return error;
  throw new Error('The running PostgreSQL refuses the password in its data folder: was the file changed?', {
    cause: error,
  });
}
