import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { PrimaryClient } from './primary-client.js';

type Client = PoolClient & PrimaryClient;

/** A statement had no answer in time, counted from when it was asked. */
export class Unanswered extends Error {
  constructor(milliseconds: number) {
    super(`a statement had no answer within ${milliseconds} ms`);
  }
}

/** A connection that is open or opening. */
interface Connection {
  client: Promise<Client>;
  /** When each statement was asked that has no answer yet, by `performance.now()`. They are answered in this order. */
  unanswered: number[];
  /** Runs while the oldest of them may come to wait too long. */
  timer?: NodeJS.Timeout | undefined;
  /** When that one was asked. */
  timedFor: number;
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
   *
   * The time limit runs from when a statement was asked, sent or not: one that waits behind others gets no more time. A
   * caller that asks again, as its connection broke, says when it asked first. Throws Unanswered when that is too long ago.
   */
  async query(
    { name, ...statement }: QueryConfig<unknown[]>,
    askedAt = performance.now(),
  ): Promise<QueryResult> {
    if (this.timeLeft(askedAt) <= 0) throw new Unanswered(this.timeLimitMs);
    const connection = this.leastBusy();
    connection.unanswered.push(askedAt);
    this.endInTime(connection, askedAt);
    let client: Client | undefined;
    try {
      client = await connection.client;
      return await client.query(this.isPreparing ? { ...statement, name } : statement);
    } catch (error) {
      this.remove(connection, client);
      throw error;
    } finally {
      connection.unanswered.shift();
    }
  }

  private timeLeft(askedAt: number): number {
    return askedAt + this.timeLimitMs - performance.now();
  }

  /** Ends the connection when its oldest statement has waited too long, and looks again when the next one will have. */
  private endInTime(connection: Connection, askedAt: number): void {
    if (connection.timer !== undefined && connection.timedFor <= askedAt) return;
    clearTimeout(connection.timer);
    const look = () => {
      connection.timer = undefined;
      if (connection.unanswered.length === 0) return;

      const oldest = Math.min(...connection.unanswered);
      if (this.timeLeft(oldest) > 0) this.endInTime(connection, oldest);
      else connection.client.then((client) => client.hangUp()).catch(() => {});
    };
    connection.timedFor = askedAt;
    // An answer that has arrived is read first: it may be this process that was slow.
    connection.timer = setTimeout(() => setImmediate(look), this.timeLeft(askedAt)).unref();
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
    const connection: Connection = {
      client: this.pool.connect() as Promise<Client>,
      unanswered: [],
      timedFor: 0,
    };
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
