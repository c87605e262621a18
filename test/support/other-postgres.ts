import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serverAccount } from '../../tools/embedded-postgres/account.js';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { PROGRAM_ENVIRONMENT, runProgram } from '../../tools/embedded-postgres/programs.js';
import { until } from './until.js';

const HOST = '127.0.0.1';
const INITDB_TIMEOUT_MS = 60_000;

/** Nothing outlives the server, so nothing needs to reach the disk. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200'];

/** A PostgreSQL of another version than the embedded one: a new cluster, which is deleted when it stops. */
export class OtherPostgres {
  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    /** The address of its superuser. */
    readonly url: string,
  ) {}

  /** Starts it from the folder of its programs. */
  static async start(programs: string): Promise<OtherPostgres> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'latchkey-postgres-')));
    // PostgreSQL does not run as root; its account must get through.
    await chmod(folder, 0o755);
    const account = await serverAccount(folder);
    const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
    const password = randomBytes(16).toString('hex');
    await mkdir(data, { mode: 0o700 });
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (account) for (const path of [data, passwordFile]) await chown(path, account.uid, account.gid);

    const options = [
      '--auth=scram-sha-256',
      '--username=tests',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
      '-D',
      data,
    ];
    await runProgram(
      join(programs, 'initdb'),
      [...options, `--pwfile=${passwordFile}`],
      account,
      INITDB_TIMEOUT_MS,
    );
    const port = await findFreePort(HOST);
    const settings = [`port=${port}`, `listen_addresses=${HOST}`, 'unix_socket_directories=', ...SETTINGS];
    const child = spawn(
      join(programs, 'postgres'),
      ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      { ...account, cwd: programs, env: PROGRAM_ENVIRONMENT, stdio: 'ignore' },
    );
    const url = `postgres://tests:${password}@${HOST}:${port}/postgres`;
    await until(() => letsIn(url));
    return new OtherPostgres(folder, child, url);
  }

  async stop(): Promise<void> {
    this.child.kill('SIGINT');
    if (this.child.exitCode === null) await once(this.child, 'exit');
    await rm(this.folder, { recursive: true });
  }
}

async function letsIn(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}
