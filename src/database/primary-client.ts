import pg from 'pg';
import { setSession } from './session-settings.js';

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

/** The server answers so to a write where it only reads: it may be the primary no longer. */
const READ_ONLY = '25006';

/** As pg says that a statement had no answer in time. */
const NO_ANSWER = 'Query read timeout';

interface ParameterStatus {
  parameterName: string;
  parameterValue: string;
}

/**
 * A connection that notes whether it leads to a standby. Where the server answers that it only reads, the connection ends
 * with the statements under way: the next one may lead to a primary, or find that this server writes again. A server that
 * stops ends its connections by itself.
 *
 * This file alone uses what pg has below its clients: the messages of the server, and the socket.
 */
export class PrimaryClient extends pg.Client {
  private leadsToStandby = false;
  private version = OLDEST_VERSION;

  constructor(config?: pg.ClientConfig) {
    super(config);
    // Between pool and user there is no listener for a moment: a server that hangs up then would end the process.
    this.on('error', () => {});
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
      if (parameterName === 'in_hot_standby') this.leadsToStandby = parameterValue === 'on';
      if (parameterName === 'server_version') this.version = Number.parseInt(parameterValue, 10);
    });
    this.connection.on('errorMessage', ({ code }: pg.DatabaseError) => {
      if (code === READ_ONLY) this.end().catch(() => {});
    });
  }

  /**
   * Hangs up when an answer takes too long, as pg does by itself where it pipelines. Kept in the pool, the connection
   * would give its next user what the server is still doing for the last one: a transaction that begins late, and that no
   * code ends.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query cannot be told apart here.
  override query(...statement: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const answer = (super.query as any)(...statement);
    if (!this.pipeline && answer instanceof Promise)
      answer.catch(({ message }: Error) => {
        if (message === NO_ANSWER) this.hangUp();
      });
    return answer;
  }

  /** Ends the connection at once. All that has no answer yet fails. */
  hangUp(): void {
    this.connection.stream.destroy();
  }

  /** Makes a connection ready for the pool. Throws StandbyAnswered. */
  static async prepare(client: PrimaryClient): Promise<void> {
    PrimaryClient.refuseStandby(client);
    await setSession(client);
  }

  /**
   * Keeps a connection to a standby out of the pool: a balancer may lead there until it has noticed a switchover, and
   * there sessions go on that have ended, and roles that were taken away. Throws StandbyAnswered.
   */
  static refuseStandby(client: PrimaryClient): void {
    if (client.leadsToStandby) throw new StandbyAnswered();
  }

  /** Throws OldServer. */
  static refuseOldServer(client: PrimaryClient): void {
    if (client.version < OLDEST_VERSION) throw new OldServer(client.version);
  }
}
