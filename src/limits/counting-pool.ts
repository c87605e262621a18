import { Injectable, Logger } from '@nestjs/common';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import { poolOf } from '../database/pool.js';
import { within } from '../within.js';

/** How long the database may take to count: as long as for a connection. */
const TIME_LIMIT_MS = 3_000;

/** How long it is left alone when it took longer. */
const REST_MS = 5_000;

/**
 * The database as far as it counts. One that is slow or down is not asked again for a while, so that requests
 * neither wait for each count nor take its last connections; the counters have another way meanwhile.
 */
@Injectable()
export class CountingPool {
  private readonly logger = new Logger(CountingPool.name);
  private readonly pool: Pool;
  private restsUntil = 0;

  constructor(database: DataSource) {
    this.pool = poolOf(database);
  }

  async query(statement: QueryConfig): Promise<QueryResult> {
    if (Date.now() < this.restsUntil) throw new Error('the database is left alone');
    try {
      return await within(TIME_LIMIT_MS, this.pool.query(statement));
    } catch (error) {
      this.restsUntil = Date.now() + REST_MS;
      this.logger.warn(error, 'limits are counted in memory');
      throw error;
    }
  }
}
