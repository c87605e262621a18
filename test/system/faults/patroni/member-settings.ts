import { dirname } from 'node:path';
import { POSTGRES_FOLDER } from './programs.js';

const HOST = '127.0.0.1';

export const SUPERUSER = { username: 'postgres', password: 'postgres' };

/** What a member is, beside what all have in common. */
export interface MemberPlace {
  name: string;
  port: number;
  restPort: number;
  /** Where its files are; Patroni makes those of PostgreSQL. */
  data: string;
  etcd: string;
}

/** The settings of a Patroni, as its file has them: JSON is YAML. */
export function settingsOf({ name, port, restPort, data, etcd }: MemberPlace): string {
  return JSON.stringify({
    scope: 'latchkey',
    name,
    etcd3: { host: etcd },
    restapi: { listen: `${HOST}:${restPort}`, connect_address: `${HOST}:${restPort}` },
    bootstrap: {
      dcs: {
        // How many seconds a primary may be silent before another takes over: the test waits for them.
        ttl: 20,
        loop_wait: 5,
        retry_timeout: 5,
        synchronous_mode: true,
        postgresql: { use_pg_rewind: true },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${HOST}:${port}`,
      connect_address: `${HOST}:${port}`,
      bin_dir: POSTGRES_FOLDER,
      data_dir: data,
      pgpass: `${data}.pgpass`,
      authentication: {
        superuser: SUPERUSER,
        replication: { username: 'replicator', password: 'replicator' },
      },
      pg_hba: [`host all all ${HOST}/32 scram-sha-256`, `host replication all ${HOST}/32 scram-sha-256`],
      // Not among the data: pg_rewind copies whatever it finds there, and cannot copy a socket.
      parameters: { unix_socket_directories: dirname(data) },
      basebackup: [{ checkpoint: 'fast' }],
    },
  });
}
