import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import { databaseFinding } from './database-findings.js';
import { CONNECT_TIMEOUT_MS } from './pool.js';
import { PrimaryClient } from './primary-client.js';

const READ_TIMEOUT_MS = 10_000;

/** The address of the database, and the variable that holds it. */
export interface DatabaseAddress {
  variable: string;
  url: string | undefined;
}

/** The address that the service uses. */
export function serviceAddress({ databaseUrl }: Environment): DatabaseAddress {
  return { variable: 'SVC_DATABASE_URL', url: databaseUrl };
}

/** The address of the role that may change the schema. */
export function ownerAddress(environment: Environment): DatabaseAddress {
  const { databaseOwnerUrl: url } = environment;
  return url === undefined ? serviceAddress(environment) : { variable: 'SVC_DATABASE_OWNER_URL', url };
}

/**
 * Reads from the database with one plain connection, ahead of all others. Throws an OperatorError, which names the
 * variable, when the address, the role or the server is wrong.
 */
export async function readFirst<T>(
  address: DatabaseAddress,
  // biome-ignore lint/suspicious/noExplicitAny: the question knows the columns of its rows.
  read: (query: (sql: string) => Promise<any[]>) => Promise<T>,
): Promise<T> {
  const client = clientOf(address);

  try {
    await client.connect();
    await PrimaryClient.refuseStandby(client);
    PrimaryClient.refuseOldServer(client);
    return await read(async (sql) => (await client.query(sql)).rows);
  } catch (error) {
    throw explained(error, address, client);
  } finally {
    await client.end();
  }
}

function clientOf(address: DatabaseAddress): PrimaryClient {
  try {
    return new PrimaryClient({
      connectionString: address.url,
      application_name: 'latchkey',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: READ_TIMEOUT_MS,
    });
  } catch (error) {
    throw explained(error, address);
  }
}

function explained(error: unknown, { variable }: DatabaseAddress, client?: PrimaryClient): unknown {
  const finding = databaseFinding(error, variable, client);
  return finding === null ? error : new OperatorError(finding);
}
