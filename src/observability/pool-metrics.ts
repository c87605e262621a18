import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf } from '../database/pool.js';
import { Metrics } from './metrics.js';

/** How busy the connections to PostgreSQL are. */
@Injectable()
export class PoolMetrics {
  constructor(metrics: Metrics, database: DataSource) {
    const pool = poolOf(database);
    metrics.gauge('database_pool_connections', 'Open connections to PostgreSQL.', (gauge) =>
      gauge.set(pool.totalCount),
    );
    metrics.gauge('database_pool_idle_connections', 'Open connections that are not in use.', (gauge) =>
      gauge.set(pool.idleCount),
    );
    metrics.gauge('database_pool_waiting', 'Statements that wait for a connection.', (gauge) =>
      gauge.set(pool.waitingCount),
    );
  }
}
