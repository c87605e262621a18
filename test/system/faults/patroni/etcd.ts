import { join } from 'node:path';
import type { DataFolder } from '../../../../tools/embedded-postgres/data-folder.js';
import { findFreePort } from '../../../../tools/embedded-postgres/free-port.js';
import { statusOf } from '../../../support/send.js';
import { Daemon } from './daemon.js';

const HOST = '127.0.0.1';

/** The etcd in which Patroni keeps who is the primary. Alone: it is not what is broken. */
export class Etcd {
  private constructor(
    private readonly daemon: Daemon,
    readonly address: string,
  ) {}

  static async start(dataFolder: DataFolder): Promise<Etcd> {
    const address = `${HOST}:${await findFreePort(HOST)}`;
    const clients = `http://${address}`;
    const peers = `http://${HOST}:${await findFreePort(HOST)}`;
    const options = [
      `--data-dir=${join(dataFolder.path, 'etcd')}`,
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
    ];
    const isHealthy = async () => (await statusOf('GET', `${clients}/health`).catch(() => 0)) === 200;
    return new Etcd(await Daemon.start(dataFolder, 'etcd', options, isHealthy), address);
  }

  kill(): Promise<void> {
    return this.daemon.kill();
  }
}
