import type { ClientBase, QueryConfig } from 'pg';
import { CONNECT_TIMEOUT_MS } from './pool.js';

/** What the SQL of the service, and `pg` where it reads the answers, assumes of a session. */
export const SESSION_SETTINGS = {
  // A statement sees what others have committed before it; under a stricter level requests at once would fail (40001).
  default_transaction_isolation: 'read committed',
  // A day has 24 hours, also where clocks are put forward.
  TimeZone: 'UTC',
  // The form of instants that `pg` reads.
  DateStyle: 'ISO',
  standard_conforming_strings: 'on',
};

/** A connection may take as long to be set as to open. */
const SET_ALL: QueryConfig & { query_timeout: number } = {
  text: Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `SET ${name} TO '${value}'`)
    .join('; '),
  query_timeout: CONNECT_TIMEOUT_MS,
};

/**
 * Sets what the service assumes, whatever the server, the database or the role has as its default. It leaves
 * `default_transaction_read_only` alone: an operator, or a server whose disk is full, sets that on purpose.
 */
export async function setSession(client: ClientBase): Promise<void> {
  await client.query(SET_ALL);
}
