import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Cluster, openCluster, SUPERUSER } from '../../../tools/embedded-postgres/cluster.js';
import { type DataFolder, openDataFolder } from '../../../tools/embedded-postgres/data-folder.js';
import { findFreePort } from '../../../tools/embedded-postgres/free-port.js';
import {
  findPrograms,
  PROGRAM_ENVIRONMENT,
  type Programs,
} from '../../../tools/embedded-postgres/programs.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

const HOST = '127.0.0.1';

/** A PostgreSQL that a test may break: a cluster of its own, at a port it keeps from one start to the next. */
export class PostgresServer {
  private child: ChildProcess;

  private constructor(
    private readonly dataFolder: DataFolder,
    private readonly programs: Programs,
    private readonly cluster: Cluster,
    readonly port: number,
    private readonly settings: string[],
  ) {}

  /** Makes a cluster in a temporary folder. What it acknowledges is on the disk, as in production. */
  static async create(settings: string[] = []): Promise<PostgresServer> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'latchkey-faults-')));
    // PostgreSQL does not run as root; its account must get through.
    await chmod(folder, 0o755);
    const dataFolder = await openDataFolder(folder, () => {});
    const programs = await findPrograms(dataFolder, () => {});
    const cluster = await openCluster(dataFolder, programs, false, () => {});
    return new PostgresServer(dataFolder, programs, cluster, await findFreePort(HOST), settings);
  }

  /** The database that the service is given. */
  get url(): string {
    return `postgres://${SUPERUSER}:${this.cluster.password}@${HOST}:${this.port}/postgres`;
  }

  /** Starts the server, or starts it again. Resolves once it accepts connections. */
  async start(): Promise<void> {
    const place = [`port=${this.port}`, `listen_addresses=${HOST}`, 'unix_socket_directories='];
    const options = [...place, ...this.settings].flatMap((setting) => ['-c', setting]);
    this.child = spawn(this.programs.postgres, ['-D', this.cluster.data, ...options], {
      ...this.dataFolder.account,
      cwd: dirname(this.programs.postgres),
      env: PROGRAM_ENVIRONMENT,
      stdio: 'ignore',
    });
    await until(() => this.letsIn());
  }

  /** Ends the server at once, as `pg_ctl stop -m immediate` does: what is not on the disk is gone. */
  async crash(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill('SIGQUIT');
    await once(this.child, 'exit');
  }

  /** Makes another server of the files of this one, which must not run: it follows this one once both do. */
  async makeStandby(name: string): Promise<PostgresServer> {
    const standby = await PostgresServer.create();
    await rm(standby.cluster.data, { recursive: true });
    await promisify(execFile)('cp', ['-a', this.cluster.data, standby.cluster.data]);
    await writeFile(join(standby.cluster.data, 'standby.signal'), '');
    const primary = `host=${HOST} port=${this.port} user=${SUPERUSER} password=${this.cluster.password} application_name=${name}`;
    const { dataFolder, programs, cluster, port } = standby;
    const settings = [`primary_conninfo=${primary}`];
    return new PostgresServer(
      dataFolder,
      programs,
      { ...cluster, password: this.cluster.password },
      port,
      settings,
    );
  }

  async remove(): Promise<void> {
    await this.crash();
    await rm(this.dataFolder.path, { recursive: true });
  }

  private async letsIn(): Promise<boolean> {
    const database = TestDatabase.at(this.url);
    const answers = database.value('SELECT true').catch(() => false);
    return answers.finally(() => database.close());
  }
}
