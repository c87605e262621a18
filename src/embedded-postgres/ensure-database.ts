import pg from 'pg';
import { connect } from './connect.js';

const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

/** Creates a database unless it exists, or another process is just creating it. */
export async function ensureDatabase(maintenanceUrl: string, name: string): Promise<void> {
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
