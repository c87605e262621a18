import { Injectable } from '@nestjs/common';
import type { QueryConfig } from 'pg';
import { isConnectionLost } from './failures.js';
import type { PipelinedConnections } from './pipelined-connections.js';
import { ReservedConnections } from './reserved-connections.js';

/** Enough, as each looks up ten credentials at a time. */
const CONNECTIONS = 3;

/** The connections over which the credentials of requests are looked up: every request needs them. */
@Injectable()
export class LookupConnections {
  private readonly connections: PipelinedConnections;

  constructor(reserved: ReservedConnections) {
    this.connections = reserved.reservePipelined(CONNECTIONS);
  }

  /**
   * The rows of a statement. Bypasses TypeORM, which can neither name a statement nor skip its entities. A broken connection
   * would fail everyone on it, so that they go over another; a second failure is the database's.
   */
  // biome-ignore lint/suspicious/noExplicitAny: rows as pg gives them, typed where they are read.
  async query(statement: QueryConfig<unknown[]>): Promise<any[]> {
    const askedAt = performance.now();
    const ask = () => this.connections.query(statement, askedAt);
    const { rows } = await ask().catch((error) => {
      if (!isConnectionLost(error)) throw error;
      return ask();
    });
    return rows;
  }
}
