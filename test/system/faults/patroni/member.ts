import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from '../../../../tools/embedded-postgres/data-folder.js';
import { findFreePort } from '../../../../tools/embedded-postgres/free-port.js';
import { statusOf } from '../../../support/send.js';
import { until } from '../../../support/until.js';
import { Daemon } from './daemon.js';
import { type MemberPlace, settingsOf } from './member-settings.js';

const HOST = '127.0.0.1';

/** A PostgreSQL and the Patroni that keeps it: what one machine of a cluster runs. */
export class PatroniMember {
  private patroni: Daemon;

  private constructor(
    private readonly dataFolder: DataFolder,
    readonly place: MemberPlace,
    /** The settings of its Patroni, which `patronictl` reads too. */
    readonly file: string,
  ) {}

  /** Resolves once its PostgreSQL runs: that of the first is the primary, others follow it. */
  static async start(dataFolder: DataFolder, name: string, etcd: string): Promise<PatroniMember> {
    const [port, restPort] = [await findFreePort(HOST), await findFreePort(HOST)];
    const place = { name, port, restPort, etcd, data: join(dataFolder.path, name) };
    const file = `${place.data}.yml`;
    await writeFile(file, settingsOf(place));
    const member = new PatroniMember(dataFolder, place, file);
    await member.run();
    return member;
  }

  /** Resolves once its PostgreSQL runs, as whatever the others make of it. */
  async run(): Promise<void> {
    const runs = () => says(this.place.restPort, '/health');
    this.patroni = await Daemon.start(this.dataFolder, 'patroni', [this.file], runs);
  }

  isPrimary(): Promise<boolean> {
    return says(this.place.restPort, '/primary');
  }

  /** Whether the primary acknowledges only what this one has, too. */
  isSynchronous(): Promise<boolean> {
    return says(this.place.restPort, '/synchronous');
  }

  get isDead(): boolean {
    return this.patroni.hasEnded;
  }

  /** Ends both at once, as a power cut does. */
  async kill(): Promise<void> {
    if (this.isDead) return;
    const postmaster = Number.parseInt(await readFile(join(this.place.data, 'postmaster.pid'), 'utf8'), 10);
    await this.patroni.kill();
    process.kill(postmaster, 'SIGKILL');
    await until(() => !isAlive(postmaster));
  }
}

/** Whether a Patroni says yes to a question about its PostgreSQL. */
async function says(restPort: number, path: string): Promise<boolean> {
  return (await statusOf('GET', `http://${HOST}:${restPort}${path}`).catch(() => 0)) === 200;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
