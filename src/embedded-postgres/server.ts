import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, SUPERUSER } from './cluster.js';
import { findFreePort } from './free-port.js';
import { giveToOwner, type Home } from './home.js';
import { findPostmaster, type Postmaster } from './postmaster.js';
import type { Programs } from './programs.js';
import { PROGRAM_ENVIRONMENT, runProgram } from './run-program.js';
import { openLog, readLogTail } from './server-log.js';

const HOST = '127.0.0.1';

const POLL_MS = 25;
const FAST_STOP_SECONDS = 10;
const IMMEDIATE_STOP_SECONDS = 4;

/**
 * What a server says that gives way: to another start, to backends of a killed postmaster, to whoever took the port.
 */
const GIVES_WAY =
  /lock file ".*" (already exists|is empty)|shared memory block .* still in use|could not create any TCP/;

/** The server of one cluster, whichever process launched it. */
export class Server {
  constructor(
    private readonly home: Home,
    private readonly programs: Programs,
    private readonly cluster: Cluster,
    private readonly settings: Record<string, string>,
  ) {}

  /** The postmaster that runs now. Returns null when there is none. */
  find(): Promise<Postmaster | null> {
    return findPostmaster(this.cluster.data);
  }

  /**
   * Launches the server. Resolves once it is ready, or gave way to another: look again. Rejects with its last words.
   */
  async launch(deadline: number): Promise<void> {
    const log = await openLog(this.cluster.log);
    try {
      await giveToOwner(this.cluster.log, this.home);
      const { size } = await log.stat();
      const child = await this.spawn(log.fd);
      if (await this.becomesReady(child, deadline)) return child.unref();

      const lastWords = await readLogTail(this.cluster.log, size);
      if (GIVES_WAY.test(lastWords)) return;
      throw new Error(`PostgreSQL did not start. Its log ends:\n${lastWords}`);
    } finally {
      await log.close();
    }
  }

  /**
   * Stops the server, unless it is stopping already: sessions end at once, and if one will not, without a checkpoint.
   */
  async stop(): Promise<void> {
    if (!(await this.find())?.isReady) return;
    await this.halt('fast', FAST_STOP_SECONDS).catch(() => this.halt('immediate', IMMEDIATE_STOP_SECONDS));
  }

  url(port: number, database: string): string {
    return `postgres://${SUPERUSER}:${this.cluster.password}@${HOST}:${port}/${database}`;
  }

  private async spawn(log: number): Promise<ChildProcess> {
    const settings = {
      ...this.settings,
      listen_addresses: HOST,
      port: String(await findFreePort(HOST)),
      unix_socket_directories: '',
      timezone: 'UTC',
      log_timezone: 'UTC',
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

    // Detached: the Ctrl-C of a terminal must not reach it before the application has drained.
    const child = spawn(this.programs.postgres, ['-D', this.cluster.data, ...options], {
      ...this.home.account,
      cwd: dirname(this.programs.postgres),
      detached: true,
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', log, log],
      windowsHide: true,
    });
    await once(child, 'spawn');
    return child;
  }

  private async becomesReady(child: ChildProcess, deadline: number): Promise<boolean> {
    while (child.exitCode === null && child.signalCode === null) {
      if ((await this.find())?.isReady) return true;
      if (performance.now() > deadline) {
        child.kill('SIGQUIT');
        return false;
      }
      await sleep(POLL_MS);
    }
    return false;
  }

  private async halt(mode: 'fast' | 'immediate', seconds: number): Promise<void> {
    const options = ['stop', '-s', '-D', this.cluster.data, '-m', mode, '-t', String(seconds)];
    await runProgram(this.programs.pgCtl, options, this.home.account, (seconds + 1) * 1000);
  }
}
