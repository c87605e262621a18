import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, SUPERUSER } from './cluster.js';
import { type DataFolder, giveToOwner } from './data-folder.js';
import { findFreePort } from './free-port.js';
import { findPostmaster, type Postmaster } from './postmaster.js';
import { PROGRAM_ENVIRONMENT, type Programs, runProgram } from './programs.js';

const HOST = '127.0.0.1';

const POLL_MS = 25;
const FAST_STOP_SECONDS = 10;
const IMMEDIATE_STOP_SECONDS = 4;

const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LOG_TAIL_LINES = 20;

/**
 * What a server logs when another try may succeed: another process is starting it, backends of a killed postmaster
 * still run, or another program took the port.
 */
const PASSING_FAILURE =
  /lock file ".*" (already exists|is empty)|shared memory block .* still in use|could not create any TCP/;

/** The server of one cluster, whichever process launched it. */
export class Server {
  constructor(
    private readonly dataFolder: DataFolder,
    private readonly programs: Programs,
    private readonly cluster: Cluster,
    private readonly settings: Record<string, string>,
  ) {}

  /** The postmaster that runs now. Returns null when there is none. */
  find(): Promise<Postmaster | null> {
    return findPostmaster(this.cluster.data);
  }

  /**
   * Launches the server. Resolves once it is ready, or failed in a way that may pass: look again. Otherwise rejects
   * with the end of its log.
   */
  async launch(deadline: number): Promise<void> {
    const log = await openLog(this.cluster.log);
    try {
      await giveToOwner(this.cluster.log, this.dataFolder);
      const { size } = await log.stat();
      const child = await this.spawn(log.fd);
      if (await this.becomesReady(child, deadline)) return child.unref();

      const logTail = await readLogTail(this.cluster.log, size);
      if (PASSING_FAILURE.test(logTail)) return;
      throw new Error(`PostgreSQL did not start. Its log ends:\n${logTail}`);
    } finally {
      await log.close();
    }
  }

  /**
   * Stops the server, unless it is stopping already: sessions end at once, and if one does not, without a checkpoint.
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
      ...this.dataFolder.account,
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
    await runProgram(this.programs.pgCtl, options, this.dataFolder.account, (seconds + 1) * 1000);
  }
}

/** Opens the log to append to. A large one is renamed first; it replaces the one that was renamed before. */
async function openLog(path: string): Promise<FileHandle> {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size > MAX_LOG_BYTES) await rename(path, `${path}.old`);
  return open(path, 'a', 0o600);
}

/** The last lines written to the log after its first `offset` bytes. */
async function readLogTail(path: string, offset: number): Promise<string> {
  const written = (await readFile(path)).subarray(offset).toString('utf8');
  return written.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}
