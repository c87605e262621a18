import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from '../../../../tools/embedded-postgres/data-folder.js';
import { findFreePort } from '../../../../tools/embedded-postgres/free-port.js';
import { TestDatabase } from '../../../support/test-database.js';
import { Daemon } from './daemon.js';
import type { PatroniMember } from './member.js';
import { SUPERUSER } from './member-settings.js';

const HOST = '127.0.0.1';

/** HAProxy with the settings of the README: it leads to the member whose Patroni says that it is the primary. */
export class HAProxy {
  private constructor(
    private readonly daemon: Daemon,
    /** The database that the service is given. */
    readonly url: string,
  ) {}

  /** Resolves once it leads somewhere. */
  static async start(dataFolder: DataFolder, members: PatroniMember[]): Promise<HAProxy> {
    const port = await findFreePort(HOST);
    const file = join(dataFolder.path, 'haproxy.cfg');
    await writeFile(file, configurationFor(members, port));
    const database = TestDatabase.at(
      `postgres://${SUPERUSER.username}:${SUPERUSER.password}@${HOST}:${port}/postgres`,
    );
    const leads = () => database.value('SELECT true').catch(() => false);
    const daemon = await Daemon.start(dataFolder, 'haproxy', ['-db', '-f', file], leads);
    await database.close();
    return new HAProxy(daemon, database.url);
  }

  kill(): Promise<void> {
    return this.daemon.kill();
  }
}

function configurationFor(members: PatroniMember[], port: number): string {
  const servers = members.map(
    ({ place }) => `  server ${place.name} ${HOST}:${place.port} check port ${place.restPort}`,
  );
  return `
defaults
  mode tcp
  timeout connect 3s
  timeout check 2s
  timeout client 30m
  timeout server 30m

listen primary
  bind ${HOST}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
