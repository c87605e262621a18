import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool, type PoolConfig } from 'pg';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { PipelinedConnections } from './pipelined-connections.js';
import { ASKED_TIMEOUT_MS, poolOf } from './pool.js';

/** They stay open while nothing is sent, for longer than some networks keep a connection that is silent. */
const STAY_OPEN: PoolConfig = { idleTimeoutMillis: 0, keepAlive: true, keepAliveInitialDelayMillis: 60_000 };

/**
 * Connections for one kind of statement alone. They stay free while all other connections wait for a lock, and leave the
 * others free while they wait themselves.
 */
@Injectable()
export class ReservedConnections implements OnApplicationShutdown {
  private readonly reserved: { end(): Promise<void> }[] = [];

  constructor(
    private readonly database: DataSource,
    private readonly environment: Environment,
  ) {}

  reserve(connections: number): Pool {
    const pool = this.poolOf(connections);
    this.reserved.push(pool);
    return pool;
  }

  /** For statements so frequent that each would otherwise wait for a free connection. */
  reservePipelined(connections: number): PipelinedConnections {
    // The pipelined connections watch the time themselves.
    const pool = this.poolOf(connections, { pipeline: true, query_timeout: undefined });
    const pipelined = new PipelinedConnections(pool, this.environment.databasePrepare, ASKED_TIMEOUT_MS);
    this.reserved.push(pipelined);
    return pipelined;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.reserved.map((connections) => connections.end()));
  }

  private poolOf(connections: number, options: PoolConfig = {}): Pool {
    const pool = new Pool({ ...poolOf(this.database).options, ...STAY_OPEN, ...options, max: connections });
    // Without a listener the error of an idle connection would end the process.
    pool.on('error', () => {});
    return pool;
  }
}
