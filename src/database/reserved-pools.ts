import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { poolOf } from './pool.js';

/**
 * Connections for one kind of statement alone. They stay free while all other connections wait for a lock, and leave
 * the others free while they wait themselves.
 */
@Injectable()
export class ReservedPools implements OnApplicationShutdown {
  private readonly pools: Pool[] = [];

  constructor(private readonly database: DataSource) {}

  reserve(connections: number): Pool {
    const pool = new Pool({ ...poolOf(this.database).options, max: connections });
    // Without a listener the error of an idle connection would end the process.
    pool.on('error', () => {});
    this.pools.push(pool);
    return pool;
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.end()));
  }
}
