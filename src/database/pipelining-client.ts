import type { Socket } from 'node:net';
import type pg from 'pg';
import { ImpatientClient } from './impatient-client.js';

/** As TypeORM begins a transaction. */
const BEGIN = 'START TRANSACTION';

/**
 * A connection that sends a statement behind those that have no answer yet, and what is asked for in one turn of the
 * event loop in one write. A transaction does not wait for its beginning: it goes with the first statement. Were the
 * beginning alone to fail, that statement would stand by itself; only an administrator who cancels it in that moment
 * can do so, as a connection that breaks, or does not answer, fails both.
 */
export class PipeliningClient extends ImpatientClient {
  private begun: Promise<unknown> | undefined;

  constructor(config?: pg.ClientConfig) {
    super({ ...config, pipeline: true } as pg.ClientConfig);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query cannot be told apart here.
  override query(...statement: any[]): any {
    this.writeOnce();
    const answer = super.query(...statement);
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

  private writeOnce(): void {
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
}
