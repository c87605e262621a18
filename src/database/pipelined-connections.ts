import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { PipeliningClient } from './pipelining-client.js';

type Client = PoolClient & PipeliningClient;

/** A connection that is open or opening. */
interface Connection {
  client: Promise<Client>;
  /** When each statement was asked that has no answer yet, by `performance.now()`. They are answered in this order. */
  unanswered: number[];
  /** Runs while the oldest of them may come to wait too long. */
  timer?: NodeJS.Timeout | undefined;
}

/**
 * Connections that send a statement behind those that have no answer yet. Each statement goes to the connection with the
 * fewest of them, so that a connection that stalls holds up only what it was sent before. A connection opens with its
 * first statement, and another one takes its place after it was lost.
 */
export class PipelinedConnections {
  private connections: Connection[] = [];

  /**
   * The pool must make pipelined clients, without a time limit of their own: with that of `pg`, all that a statement
   * answered stays in memory until the next full collection of garbage.
   */
  constructor(
    private readonly pool: Pool,
    private readonly isPreparing: boolean,
    private readonly timeLimitMs: number,
  ) {}

  /**
   * PostgreSQL parses a statement with a name once for each connection, and may keep its plan. A connection under which a
   * statement fails is not used again, as by `pg`'s pool.
   */
  async query({ name, ...statement }: QueryConfig<unknown[]>): Promise<QueryResult> {
    const connection = this.leastBusy();
    connection.unanswered.push(performance.now());
    const client = await connection.client;
    connection.timer ??= this.endInTime(connection, client, this.timeLimitMs);
    try {
      return await client.query(this.isPreparing ? { ...statement, name } : statement);
    } catch (error) {
      this.remove(connection, client);
      throw error;
    } finally {
      connection.unanswered.shift();
    }
  }

  /** Ends the connection when its oldest statement has waited too long, and looks again when the next one will have. */
  private endInTime(connection: Connection, client: Client, milliseconds: number): NodeJS.Timeout {
    const look = () => {
      connection.timer = undefined;
      const [oldest] = connection.unanswered;
      if (oldest === undefined) return;

      const left = oldest + this.timeLimitMs - performance.now();
      if (left > 0) connection.timer = this.endInTime(connection, client, left);
      else client.hangUp();
    };
    // An answer that has arrived is read first: it may be this process that was slow.
    return setTimeout(() => setImmediate(look), milliseconds).unref();
  }

  private leastBusy(): Connection {
    let best: Connection | undefined;
    for (const connection of this.connections) {
      if (connection.unanswered.length === 0) return connection;
      if (best === undefined || connection.unanswered.length < best.unanswered.length) best = connection;
    }
    return best && this.connections.length >= this.pool.options.max ? best : this.add();
  }

  private add(): Connection {
    const connection: Connection = { client: this.pool.connect() as Promise<Client>, unanswered: [] };
    this.connections.push(connection);
    connection.client.then(
      (client) => client.once('end', () => this.remove(connection, client)),
      () => this.remove(connection),
    );
    return connection;
  }

  /** The pool forgets a client whose connection has ended, and has room for another. */
  private remove(connection: Connection, client?: Client): void {
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
