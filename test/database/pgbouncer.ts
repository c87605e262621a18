import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import type { TestDatabase } from '../support/test-database.js';

/** Fewer than the service opens, so that they are handed round. */
const SERVER_CONNECTIONS = 3;

/** PgBouncer refuses to run as root; this is the id of the account `nobody` on every Linux. */
const THE_SERVICE = 65_534;

/** What PgBouncer on this machine calls itself, or null. */
export const pgBouncerVersion = versionOf('pgbouncer');

/** Whether it passes named statements on, as it does from 1.21. */
export const passesPreparedStatements = isAtLeast(1, 21);

/** PgBouncer in transaction mode, in front of a database. */
export class PgBouncer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(
    database: TestDatabase,
    { prepares = false, ignores = 'statement_timeout, lock_timeout' } = {},
  ): Promise<PgBouncer> {
    const url = new URL(database.url);
    const port = await findFreePort('127.0.0.1');
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-pgbouncer-'));
    await chmod(folder, 0o755);
    const file = join(folder, 'pgbouncer.ini');
    const more = [
      ...(prepares ? ['max_prepared_statements = 100'] : []),
      ...(ignores ? [`ignore_startup_parameters = ${ignores}`] : []),
    ].join('\n');
    await writeFile(file, configurationFor(url, port) + more);

    const asRoot = process.getuid?.() === 0;
    const child = spawn('pgbouncer', [file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(asRoot && { uid: THE_SERVICE, gid: THE_SERVICE }),
    });
    url.port = String(port);
    await listening(child);
    return new PgBouncer(url.href, child, folder);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
    await rm(this.folder, { recursive: true });
  }
}

function configurationFor({ hostname, port, username, password }: URL, listenPort: number): string {
  return `
[databases]
* = host=${hostname} port=${port} user=${username} password=${password}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
`;
}

async function listening(child: ChildProcess): Promise<void> {
  let log = '';
  for await (const chunk of child.stderr ?? []) {
    log += chunk;
    if (log.includes('process up')) return;
  }
  throw new Error(`pgbouncer did not start: ${log}`);
}

function isAtLeast(major: number, minor: number): boolean {
  const [, ofThis = 0, minorOfThis = 0] = /(\d+)\.(\d+)/.exec(pgBouncerVersion ?? '') ?? [];
  return Number(ofThis) > major || (Number(ofThis) === major && Number(minorOfThis) >= minor);
}

function versionOf(program: string): string | null {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? null;
  } catch {
    return null;
  }
}
