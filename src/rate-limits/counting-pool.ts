import { Injectable, Logger } from '@nestjs/common';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import { Environment } from '../config/environment.js';
import { CONNECT_TIMEOUT_MS } from '../database/pool.js';
import { ReservedConnections } from '../database/reserved-connections.js';
import { within } from '../database/time-limit.js';

/** A statement takes about a millisecond. */
const CONNECTIONS = 2;

/** How long the database may take to count: as long as for a connection. */
const TIME_LIMIT_MS = CONNECT_TIMEOUT_MS;

/** How long the service does not ask the database again after it took longer. */
const REST_MS = 5_000;

/**
 * The connections that limits are counted on. A database that is slow or down is not asked again for a while, so that
 * requests do not wait for each count. The counters use memory meanwhile.
 */
@Injectable()
export class CountingPool {
  private readonly logger = new Logger(CountingPool.name);
  private readonly pool: Pool;
  /** By the clock of `performance.now()`, which no operator puts back. */
  private restsUntil = 0;

  constructor(
    private readonly environment: Environment,
    connections: ReservedConnections,
  ) {
    this.pool = connections.reserve(CONNECTIONS);
  }

  /** Throws when the database fails or is slow, and while it rests after that. */
  async query({ name, ...statement }: QueryConfig<unknown[]>): Promise<QueryResult> {
    if (performance.now() < this.restsUntil) throw new Error('The database rests.');
    try {
      const counting = this.pool.query(this.environment.databasePrepare ? { ...statement, name } : statement);
      return await within(TIME_LIMIT_MS, counting);
    } catch (error) {
      this.rest(error);
      throw error;
    }
  }

  /** Several counts may fail together; the log needs the first of them only. */
  private rest(error: unknown): void {
    const rests = performance.now() < this.restsUntil;
    this.restsUntil = performance.now() + REST_MS;
    if (rests) return;
    this.logger.warn(
      { event: 'limits.in_memory', err: error },
      'The service counts limits in memory until the database answers.',
    );
  }
}
