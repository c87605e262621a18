import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';

/** A connection that is open or opening, and how many of its statements have no answer yet. */
interface Connection {
  client: Promise<PoolClient>;
  unanswered: number;
}

/**
 * Connections that send a statement behind those that have no answer yet. Each statement goes to the connection with the
 * fewest of them, so that a connection that stalls holds up only what it was sent before. A connection opens with its
 * first statement, and another one takes its place after it was lost.
 */
export class PipelinedConnections {
  private connections: Connection[] = [];

  /** The pool must make pipelined clients. */
  constructor(
    private readonly pool: Pool,
    private readonly isPreparing: boolean,
  ) {}

  /**
   * PostgreSQL parses a statement with a name once for each connection, and may keep its plan. A connection under which a
   * statement fails is not used again, as by `pg`'s pool.
   */
  async query({ name, ...statement }: QueryConfig<unknown[]>): Promise<QueryResult> {
    const connection = this.leastBusy();
    connection.unanswered += 1;
    const client = await connection.client;
    try {
      return await client.query(this.isPreparing ? { ...statement, name } : statement);
    } catch (error) {
      this.remove(connection, client);
      throw error;
    } finally {
      connection.unanswered -= 1;
    }
  }

  private leastBusy(): Connection {
    let best: Connection | undefined;
    for (const connection of this.connections) {
      if (connection.unanswered === 0) return connection;
      if (best === undefined || connection.unanswered < best.unanswered) best = connection;
    }
    return best && this.connections.length >= this.pool.options.max ? best : this.add();
  }

  private add(): Connection {
    const connection = { client: this.pool.connect(), unanswered: 0 };
    this.connections.push(connection);
    connection.client.then(
      (client) => client.once('end', () => this.remove(connection, client)),
      () => this.remove(connection),
    );
    return connection;
  }

  /** The pool forgets a client whose connection has ended, and has room for another. */
  private remove(connection: Connection, client?: PoolClient): void {
    if (!this.connections.includes(connection)) return;
    this.connections = this.connections.filter((other) => other !== connection);
    client?.release(true);
  }

  /** Ends the connections once their statements are answered. A statement that comes later opens no other, and fails. */
  async end(): Promise<void> {
    const ended = this.pool.end();
    const clients = await Promise.allSettled(this.connections.map(({ client }) => client));
    this.connections = [];
    for (const opened of clients) if (opened.status === 'fulfilled') opened.value.release(true);
    await ended;
  }
}
