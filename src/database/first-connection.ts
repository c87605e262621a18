import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import { databaseFinding, UnreadableAddress } from './database-findings.js';
import { CONNECT_TIMEOUT_MS, LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from './pool.js';
import { PrimaryClient } from './primary-client.js';
import { refuseUnsetSession } from './session-check.js';

const OF_THE_SERVICE = 'SVC_DATABASE_URL';

const READ_TIMEOUT_MS = 10_000;

/** The address of the database, and the variable that holds it. */
export interface DatabaseAddress {
  variable: string;
  url: string | undefined;
}

/** The address that the service uses. */
export function serviceAddress({ databaseUrl }: Environment): DatabaseAddress {
  return { variable: OF_THE_SERVICE, url: databaseUrl };
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
    PrimaryClient.refuseStandby(client);
    PrimaryClient.refuseOldServer(client);
    const query = async (sql: string) => (await client.query(sql)).rows;
    if (address.variable === OF_THE_SERVICE) await refuseUnsetSession(query, address.variable);
    return await read(query);
  } catch (error) {
    throw explained(error, address, client);
  } finally {
    await client.end();
  }
}

/** What an operator is told of an error of the database that comes later in the start; other errors stay as they are. */
export function explainedAt(address: DatabaseAddress, error: unknown): unknown {
  return explained(error, address, clientOf(address));
}

/** It asks a pooler for what the connections of the service will ask for. */
function clientOf(address: DatabaseAddress): PrimaryClient {
  try {
    if (address.url !== undefined) refuseUnencoded(address.url);
    return new PrimaryClient({
      connectionString: address.url,
      application_name: 'latchkey',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: READ_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
    });
  } catch (error) {
    throw explained(error, address);
  }
}

/**
 * An address with a raw # / ? or % in its password can often be read, as that of another host or database, whose name is
 * then a part of the password. Throws UnreadableAddress.
 */
function refuseUnencoded(url: string): void {
  const { pathname, search, hash } = new URL(url.replace('@/', '@localhost/'));
  if (hash !== '' || (pathname + search).includes('@') || !isDecodable(url)) throw new UnreadableAddress();
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function explained(error: unknown, { variable }: DatabaseAddress, client?: PrimaryClient): unknown {
  if (error instanceof OperatorError) return error;
  const finding = databaseFinding(error, variable, client);
  return finding === null ? error : new OperatorError(finding);
}
