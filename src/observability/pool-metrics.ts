import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf } from '../database/pool.js';
import { Metrics } from './metrics.js';

/** How busy the connections to PostgreSQL are. */
@Injectable()
export class PoolMetrics {
  constructor(metrics: Metrics, database: DataSource) {
    const pool = poolOf(database);
    const total = metrics.gauge('database_pool_connections', 'Open connections to PostgreSQL.');
    const idle = metrics.gauge('database_pool_idle_connections', 'Open connections that are not in use.');
    const waiting = metrics.gauge('database_pool_waiting', 'Statements that wait for a connection.');

    metrics.readAtScrape([total, idle, waiting], () => {
      total.set(pool.totalCount);
      idle.set(pool.idleCount);
      waiting.set(pool.waitingCount);
    });
  }
}
