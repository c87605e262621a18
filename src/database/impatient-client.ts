import pg from 'pg';

/**
 * A connection that hangs up when it gives up on an answer. Kept in the pool, it would give its next user what the
 * server is still doing for the last one: a transaction that begins late, and that no code ends.
 */
export class ImpatientClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // Between pool and user there is no listener for a moment: a server that hangs up then would end the process.
    this.on('error', () => {});
  }

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query cannot be told apart here.
  override query(...statement: any[]): any {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const answer = (super.query as any)(...statement);
    if (answer instanceof Promise)
      answer.catch(({ message }: Error) => {
        if (message === 'Query read timeout') this.hangUp();
      });
    return answer;
  }

  protected hangUp(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }
}
