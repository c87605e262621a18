import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { NO_PWNED_PASSWORDS } from './pwned-passwords-stand-in.js';
import type { TestDatabase } from './test-database.js';

/** Less often than `until` does: what is starting needs the processor more. */
const POLL_MS = 50;

/** A start takes seconds, and many times that on a machine that is busy with others. */
export const START_PATIENCE_MS = 60_000;

/** The variables of a service as it is deployed: its log is JSON, and its mail goes there. */
export const DEPLOYED = {
  SVC_ENVIRONMENT: 'beta',
  SVC_BASE_WEB_URL: 'https://app.initech.com',
  SVC_BASE_API_URL: 'https://api.initech.com',
  SVC_LOCALES: 'en',
  SVC_EMAIL_PROVIDER: 'stub',
  SVC_JWT_SECRET_KEY: 'mXn3v7wLkq0Zb5RtYc8uEo2iPa6sDf9g',
  SVC_BCRYPT_COST: '10',
  SVC_LOG_LEVEL: 'info',
};

/** The built service as a process of its own, as it is deployed but for the rules of production. */
export class ServiceProcess {
  child: ChildProcess;

  /** What it has written to the console. */
  output = '';

  private constructor(
    readonly port: number,
    private readonly variables: Record<string, string>,
    private readonly folder: string,
  ) {}

  /** Starts the service, or the product in a folder. Resolves once it is ready. */
  static async start(
    database: TestDatabase,
    variables: Record<string, string> = {},
    folder = '.',
  ): Promise<ServiceProcess> {
    const port = Number(variables.SVC_PORT ?? (await findFreePort('127.0.0.1')));
    const settings = {
      SVC_ENVIRONMENT: 'dev',
      SVC_PORT: String(port),
      SVC_DATABASE_URL: database.url,
      SVC_BCRYPT_COST: '4',
      SVC_LOG_LEVEL: 'error',
      SVC_STOP_DELAY_SECONDS: '0',
      SVC_BREACH_BASE_URL: NO_PWNED_PASSWORDS,
    };
    const service = new ServiceProcess(port, { ...settings, ...variables }, folder);
    await service.restart();
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Starts it again at its port, after it has ended. Resolves once it is ready. */
  async restart(): Promise<void> {
    this.child = spawn(process.execPath, ['dist/main.js'], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, ...this.variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.output += text;
    });
    await this.untilReady();
  }

  post(path: string, body: unknown): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Ends it as its operator does, and resolves with its exit status once it is gone. */
  async stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Ends it at once, as a crash of the machine would. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  private async untilReady(): Promise<void> {
    const deadline = performance.now() + START_PATIENCE_MS;
    while (!(await this.isReady())) {
      if (this.hasEnded || performance.now() > deadline) {
        await this.kill();
        throw new Error('the service did not start');
      }
      await setTimeout(POLL_MS);
    }
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.hasEnded) {
      this.child.kill(signal);
      await once(this.child, 'exit');
    }
    return this.child.exitCode;
  }

  private async isReady(): Promise<boolean> {
    return fetch(`${this.url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  }
}

/** Several processes of the service on one database, as they run behind a load balancer. */
export class Replicas {
  private constructor(readonly replicas: ServiceProcess[]) {}

  /** Resolves once all are ready. They count no limits unless the variables say so. */
  static async start(
    database: TestDatabase,
    count: number,
    variables: Record<string, string> = {},
  ): Promise<Replicas> {
    const start = () => ServiceProcess.start(database, { SVC_RATE_LIMITS: 'off', ...variables });
    return new Replicas(await Promise.all(Array.from({ length: count }, start)));
  }

  /** The replica whose turn a request is. */
  at(turn: number): ServiceProcess {
    return this.replicas[turn % this.replicas.length] as ServiceProcess;
  }

  async kill(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
  }
}
