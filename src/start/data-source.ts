import pg from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { Environment } from '../config/environment.js';
import { PostgresNaming } from '../database/naming.js';
import {
  ANSWER_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  LOCK_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from '../database/pool.js';
import { PrimaryClient } from '../database/primary-client.js';

/**
 * The one database of the service and of a product. PostgreSQL cuts a long statement off, and the service gives it up soon
 * after.
 */
export function dataSourceOptions(
  { databaseUrl, databasePoolSize }: Environment,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
): DataSourceOptions {
  return {
    type: 'postgres',
    // Otherwise TypeORM looks for it by itself, and loads it a second time beside the one in the bundle.
    driver: pg,
    ...(databaseUrl !== undefined && { url: databaseUrl }),
    namingStrategy: new PostgresNaming(),
    applicationName: 'latchkey',
    poolSize: databasePoolSize,
    connectTimeoutMS: connectTimeoutMs,
    extra: {
      Client: PrimaryClient,
      onConnect: PrimaryClient.prepare,
      lock_timeout: LOCK_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    },
  };
}
