import pg from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 20_000;

/**
 * Opens a connection to the embedded server that survives the server's end: its next query fails, the process does
 * not.
 */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    ssl: false,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}
