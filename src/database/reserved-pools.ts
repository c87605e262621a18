import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool, type PoolConfig } from 'pg';
import { DataSource } from 'typeorm';
import { PipelinedConnections } from './pipelined-connections.js';
import { poolOf } from './pool.js';

/**
 * Connections for one kind of statement alone. They stay free while all other connections wait for a lock, and leave
 * the others free while they wait themselves.
 */
@Injectable()
export class ReservedPools implements OnApplicationShutdown {
  private readonly reserved: (Pool | PipelinedConnections)[] = [];

  constructor(private readonly database: DataSource) {}

  reserve(connections: number): Pool {
    const pool = this.pool({ max: connections });
    this.reserved.push(pool);
    return pool;
  }

  /** Pipelined connections, for statements so frequent that each would otherwise wait for a free connection. */
  reservePipelined(connections: number): PipelinedConnections {
    const pipelined = new PipelinedConnections(this.pool({ max: connections, pipeline: true }));
    this.reserved.push(pipelined);
    return pipelined;
  }

  private pool(options: PoolConfig): Pool {
    const pool = new Pool({ ...poolOf(this.database).options, ...options });
    // Without a listener the error of an idle connection would end the process.
    pool.on('error', () => {});
    return pool;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.reserved.map((connections) => connections.end()));
  }
}
