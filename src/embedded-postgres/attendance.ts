import type pg from 'pg';
import { connect } from './connect.js';

/** Any number will do: nothing else takes advisory locks in the maintenance database. */
const LOCK = 5_282_483;

/**
 * One process's use of the server: a session that holds a shared advisory lock. PostgreSQL itself keeps the count,
 * so a process that was killed does not attend, and nobody can join between "I am the last" and the stop.
 */
export class Attendance {
  private constructor(
    private readonly url: string,
    private readonly client: pg.Client,
  ) {}

  static async begin(url: string): Promise<Attendance> {
    const client = await connect(url);
    try {
      await client.query('SELECT pg_advisory_lock_shared($1)', [LOCK]);
    } catch (error) {
      await client.end();
      throw error;
    }
    keepAlive(client, false);
    return new Attendance(url, client);
  }

  /** Ends the attendance; when nobody else attends, runs `whenLast` while newcomers wait. */
  async end(whenLast: () => Promise<void>): Promise<void> {
    keepAlive(this.client, true);
    // Unlocked first: a backend may outlive its connection by a moment, and would be taken for another user.
    await this.client.query('SELECT pg_advisory_unlock_shared($1)', [LOCK]).catch(() => null);
    await this.client.end();

    // A new connection, because the first may have been lost while the server stayed.
    const door = await connect(this.url).catch(() => null);
    if (!door) return;
    try {
      if (await isLast(door)) await whenLast();
    } finally {
      await door.end();
    }
  }
}

/** False too when the server ends meanwhile: then another one was the last. */
function isLast(door: pg.Client): Promise<boolean> {
  return door.query('SELECT pg_try_advisory_lock($1) AS "isLast"', [LOCK]).then(
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
