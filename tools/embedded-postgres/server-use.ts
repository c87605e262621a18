import type pg from 'pg';
import { connect } from './connect.js';

/** Any number will do: nothing else takes advisory locks in the maintenance database. */
const LOCK = 5_282_483;

/**
 * One process's use of the server: a session that holds a shared advisory lock. PostgreSQL itself counts the sessions,
 * so a killed process counts no longer, and no process can join between the check of the last one and its stop.
 */
export class ServerUse {
  private constructor(
    private readonly url: string,
    private readonly client: pg.Client,
  ) {}

  static async begin(url: string): Promise<ServerUse> {
    const client = await connect(url);
    try {
      await client.query('SELECT pg_advisory_lock_shared($1)', [LOCK]);
    } catch (error) {
      await client.end();
      throw error;
    }
    keepAlive(client, false);
    return new ServerUse(url, client);
  }

  /** Ends the use. When no other process uses the server, runs `whenLast`; processes that join meanwhile wait. */
  async end(whenLast: () => Promise<void>): Promise<void> {
    keepAlive(this.client, true);
    // Unlocked first: a backend may outlive its connection by a moment, and would count as another process.
    await this.client.query('SELECT pg_advisory_unlock_shared($1)', [LOCK]).catch(() => null);
    await this.client.end();

    // A new connection, because the first may have been lost while the server stayed.
    const client = await connect(this.url).catch(() => null);
    if (!client) return;
    try {
      if (await isLast(client)) await whenLast();
    } finally {
      await client.end();
    }
  }
}

/** False too when the server ends meanwhile: then another process was the last. */
function isLast(client: pg.Client): Promise<boolean> {
  return client.query('SELECT pg_try_advisory_lock($1) AS "isLast"', [LOCK]).then(
    ({ rows }) => rows[0].isLast,
    () => false,
  );
}

/** Whether an idle connection keeps the process from exiting. (The types of pg leave these two methods out.) */
function keepAlive(client: pg.Client, keeps: boolean): void {
  const socket = client as pg.Client & { ref(): void; unref(): void };
  if (keeps) socket.ref();
  else socket.unref();
}
