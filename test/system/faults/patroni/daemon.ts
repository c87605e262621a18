import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DataFolder } from '../../../../tools/embedded-postgres/data-folder.js';
import { until } from '../../../support/until.js';

const START_PATIENCE_MS = 60_000;

/** A program that runs beside a test, as the account that PostgreSQL accepts. */
export class Daemon {
  /** What it has written to the console. */
  private output = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
  }

  /** Resolves once it is ready. Rejects with what it said when it ends before that, or takes too long. */
  static async start(
    { path, account }: DataFolder,
    program: string,
    args: string[],
    isReady: () => Promise<boolean>,
  ): Promise<Daemon> {
    const env = { PATH: process.env.PATH, LC_ALL: 'C' };
    const child = spawn(program, args, { ...account, cwd: path, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const daemon = new Daemon(child);
    try {
      await until(async () => daemon.hasEnded || (await isReady()), START_PATIENCE_MS);
      if (!daemon.hasEnded) return daemon;
    } catch {
      await daemon.kill();
    }
    throw new Error(`${program} did not start:\n${daemon.output}`);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
