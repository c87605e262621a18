import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DataFolder, openDataFolder } from '../../../../tools/embedded-postgres/data-folder.js';
import { TestDatabase } from '../../../support/test-database.js';
import { until } from '../../../support/until.js';
import { Etcd } from './etcd.js';
import { HAProxy } from './haproxy.js';
import { PatroniMember } from './member.js';

/** Past the time to live of a primary that died, and what its successor needs from there. */
const SUCCESSION_PATIENCE_MS = 60_000;

/** Two PostgreSQL under Patroni, of which one is a synchronous standby, behind HAProxy; all on loopback. */
export class PatroniCluster {
  private constructor(
    private readonly dataFolder: DataFolder,
    private readonly etcd: Etcd,
    private readonly members: [PatroniMember, PatroniMember],
    private readonly haproxy: HAProxy,
  ) {}

  static async start(): Promise<PatroniCluster> {
    const dataFolder = await openTemporaryFolder();
    const etcd = await Etcd.start(dataFolder);
    const one = await PatroniMember.start(dataFolder, 'one', etcd.address);
    const two = await PatroniMember.start(dataFolder, 'two', etcd.address);
    const haproxy = await HAProxy.start(dataFolder, [one, two]);
    return new PatroniCluster(dataFolder, etcd, [one, two], haproxy);
  }

  /** The database that the service is given. */
  get url(): string {
    return this.haproxy.url;
  }

  /** Has primary and standby change places, as an operator does. Resolves once HAProxy leads to the new primary. */
  async switchOver(): Promise<void> {
    const [primary, standby] = await this.primaryAndStandby();
    const words = ['-c', primary.file, 'switchover', '--candidate', standby.place.name, '--force'];
    await promisify(execFile)('patronictl', words);
    await this.untilLedTo(standby);
  }

  /** Kills the primary, which only the standby can replace. Resolves once HAProxy leads there. */
  async killPrimary(): Promise<void> {
    const [primary, standby] = await this.primaryAndStandby();
    await primary.kill();
    await this.untilLedTo(standby);
  }

  /** Starts the member that was killed; it has to follow the new primary, and may then take its place again. */
  async bringBack(): Promise<void> {
    for (const member of this.members) if (member.isDead) await member.run();
    await this.switchOver();
  }

  async remove(): Promise<void> {
    await this.haproxy.kill();
    for (const member of this.members) await member.kill();
    await this.etcd.kill();
    await rm(this.dataFolder.path, { recursive: true });
  }

  /** Resolves once there is a standby that has all that is acknowledged. */
  private async primaryAndStandby(): Promise<[PatroniMember, PatroniMember]> {
    const [one, two] = this.members;
    const [primary, standby] = (await one.isPrimary()) ? [one, two] : [two, one];
    await until(() => standby.isSynchronous(), SUCCESSION_PATIENCE_MS);
    return [primary, standby];
  }

  private async untilLedTo({ place }: PatroniMember): Promise<void> {
    const database = TestDatabase.at(this.url);
    const leadsThere = () =>
      database
        .value('SELECT inet_server_port() = $1 AND NOT pg_is_in_recovery()', [place.port])
        .catch(() => false);
    await until(leadsThere, SUCCESSION_PATIENCE_MS);
    await database.close();
  }
}

/** A folder that is gone after the test, of the account that PostgreSQL runs as. */
async function openTemporaryFolder(): Promise<DataFolder> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'latchkey-patroni-')));
  await chmod(folder, 0o755);
  const dataFolder = await openDataFolder(folder, () => {});
  if (dataFolder.account) await chown(folder, dataFolder.account.uid, dataFolder.account.gid);
  return dataFolder;
}
