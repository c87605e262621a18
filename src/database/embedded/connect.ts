import pg from 'pg';

const CONNECT_TIMEOUT = 5_000;
const QUERY_TIMEOUT = 20_000;

/** Opens a connection to the embedded server that survives the server's end: its next query fails, the process does not. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
    ssl: false,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}
