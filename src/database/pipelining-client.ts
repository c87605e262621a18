import type { Socket } from 'node:net';
import pg from 'pg';

/** As TypeORM begins a transaction. */
const BEGIN = 'START TRANSACTION';

/**
 * A connection that sends a statement behind those that have no answer yet, and what is asked for in one turn of the
 * event loop in one write. A transaction does not wait for its beginning: it goes with the first statement. Were the
 * beginning alone to fail, that statement would stand by itself; only an administrator who cancels it in that moment
 * can do so, as a connection that breaks, or does not answer, fails both.
 *
 * When an answer takes too long, pg hangs up, as it does for pipelining clients alone. Kept in the pool, the connection
 * would give its next user what the server is still doing for the last one: a transaction that begins late, and that no
 * code ends.
 */
export class PipeliningClient extends pg.Client {
  private begun: Promise<unknown> | undefined;

  constructor(config?: pg.ClientConfig) {
    super({ ...config, pipeline: true } as pg.ClientConfig);
    // Between pool and user there is no listener for a moment: a server that hangs up then would end the process.
    this.on('error', () => {});
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query cannot be told apart here.
  override query(...statement: any[]): any {
    this.writeOnce();
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const answer = (super.query as any)(...statement);
    if (statement[0] === BEGIN) return this.begin(answer);

    const { begun } = this;
    this.begun = undefined;
    return begun ? Promise.all([begun, answer]).then(([, result]) => result) : answer;
  }

  private begin(begun: Promise<unknown>): Promise<void> {
    this.begun = begun;
    begun.catch(() => this.hangUp());
    return Promise.resolve();
  }

  /** Ends the connection at once. All that has no answer yet fails. */
  hangUp(): void {
    this.stream.destroy();
  }

  private writeOnce(): void {
    const { stream } = this;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  private get stream(): Socket {
    return (this as unknown as { connection: { stream: Socket } }).connection.stream;
  }
}
