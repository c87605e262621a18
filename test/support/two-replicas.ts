import { TestApp } from './test-app.js';

/** Two services with limits on one database, behind a proxy that they trust. */
export class TwoReplicas {
  private constructor(
    readonly app: TestApp,
    private readonly other: TestApp,
  ) {}

  static async start(variables: Record<string, string> = {}): Promise<TwoReplicas> {
    const limited = { SVC_RATE_LIMITS: 'on', SVC_TRUSTED_PROXIES: '127.0.0.1', ...variables };
    const app = await TestApp.start(limited);
    return new TwoReplicas(app, await TestApp.start(limited, { database: app.database }));
  }

  /** Sends requests at once, every other one to the other replica. */
  inParallel<Answer>(
    requests: number,
    send: (app: TestApp, index: number) => Promise<Answer>,
  ): Promise<Answer[]> {
    const replicas = [this.app, this.other];
    return Promise.all(
      Array.from({ length: requests }, (_, index) => send(replicas[index % 2] as TestApp, index)),
    );
  }

  /** Lets time pass for everything that is counted. */
  async wait(minutes: number): Promise<void> {
    await this.app.database.rows('UPDATE rate_limits SET expire = expire - $1', [minutes * 60_000]);
    await this.app.database.rows(
      'UPDATE signups SET mail_asked_at = mail_asked_at - make_interval(secs => $1)',
      [minutes],
    );
  }

  /** Begins to count anew. */
  async forget(): Promise<void> {
    await this.app.database.rows('TRUNCATE rate_limits');
  }

  async close(): Promise<void> {
    await this.other.nest.close();
    await this.app.close();
  }
}

/** The header of a proxy that passes a client's address on. */
export function from(ip: string): Record<string, string> {
  return { 'x-forwarded-for': ip };
}
