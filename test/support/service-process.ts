import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestDatabase } from './test-database.js';

/** The built service as a process of its own, on a free port. */
export class ServiceProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
  ) {}

  /** Resolves once it answers. */
  static async start(
    database: TestDatabase,
    variables: Record<string, string> = {},
  ): Promise<ServiceProcess> {
    const { PATH } = process.env;
    const child = spawn(process.execPath, ['dist/src/dev.js'], {
      env: { PATH, SVC_PORT: '0', SVC_DATABASE_URL: database.url, SVC_BCRYPT_COST: '4', ...variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      const port = /API +http:\/\/localhost:(\d+)/.exec(chunk)?.[1];
      if (port) return new ServiceProcess(child, Number(port));
    }
    throw new Error('the service did not start');
  }

  post(path: string, body: unknown): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Ends it at once, as a crash of the machine would. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
