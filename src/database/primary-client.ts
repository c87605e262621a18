import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { ImpatientClient } from './impatient-client.js';

/** The address of the database leads to a standby. */
export class StandbyAnswered extends Error {
  constructor() {
    super('a standby answered in place of the primary');
  }
}

interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}

/** A connection that notes whether it leads to a standby, which PostgreSQL reports from version 14 on. */
export class PrimaryClient extends ImpatientClient {
  private leadsToStandby = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby') this.leadsToStandby = parameterValue === 'on';
    });
  }

  /**
   * Keeps a connection to a standby out of the pool: a balancer may lead there until it has noticed a switchover, and
   * there sessions go on that have ended, and roles that were taken away. Throws StandbyAnswered.
   */
  static async refuseStandby(client: PrimaryClient): Promise<void> {
    if (client.leadsToStandby) throw new StandbyAnswered();
  }
}
