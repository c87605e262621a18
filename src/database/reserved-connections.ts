import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { PipelinedConnections } from './pipelined-connections.js';
import { ASKED_TIMEOUT_MS, poolOf } from './pool.js';

/**
 * Connections for one kind of statement alone, so frequent that each would otherwise wait for a free one. They stay free
 * while all other connections wait for a lock, and leave the others free while they wait themselves.
 */
@Injectable()
export class ReservedConnections implements OnApplicationShutdown {
  private readonly reserved: PipelinedConnections[] = [];

  constructor(
    private readonly database: DataSource,
    private readonly environment: Environment,
  ) {}

  reserve(connections: number): PipelinedConnections {
    // They stay open while nothing is sent, for longer than some networks keep a connection that is silent.
    const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 60_000 };
    const pool = new Pool({
      ...poolOf(this.database).options,
      ...keepAlive,
      max: connections,
      pipeline: true,
      query_timeout: undefined,
    });
    // Without a listener the error of an idle connection would end the process.
    pool.on('error', () => {});
    const reserved = new PipelinedConnections(pool, this.environment.databasePrepare, ASKED_TIMEOUT_MS);
    this.reserved.push(reserved);
    return reserved;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.reserved.map((connections) => connections.end()));
  }
}
