import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { PipeliningClient } from './pipelining-client.js';

/** The address of the database leads to a standby. */
export class StandbyAnswered extends Error {
  constructor() {
    super('a standby answered in place of the primary');
  }
}

/** The server is of a version that does not say whether it is a standby. */
export class OldServer extends Error {
  constructor(version: number) {
    super(`of version ${version}`);
  }
}

/** The first version that reports `in_hot_standby`. */
const OLDEST_VERSION = 14;

interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}

/** A connection that notes whether it leads to a standby. */
export class PrimaryClient extends PipeliningClient {
  private leadsToStandby = false;
  private version = OLDEST_VERSION;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby') this.leadsToStandby = parameterValue === 'on';
      if (parameterName === 'server_version') this.version = Number.parseInt(parameterValue, 10);
    });
  }

  /**
   * Keeps a connection to a standby out of the pool: a balancer may lead there until it has noticed a switchover, and
   * there sessions go on that have ended, and roles that were taken away. Throws StandbyAnswered.
   */
  static async refuseStandby(client: PrimaryClient): Promise<void> {
    if (client.leadsToStandby) throw new StandbyAnswered();
  }

  /** Throws OldServer. */
  static refuseOldServer(client: PrimaryClient): void {
    if (client.version < OLDEST_VERSION) throw new OldServer(client.version);
  }
}
