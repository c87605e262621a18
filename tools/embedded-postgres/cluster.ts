import { randomBytes } from 'node:crypto';
import { lchown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Account } from './account.js';
import { makeWhole } from './atomic-folder.js';
import { type DataFolder, giveToOwner } from './data-folder.js';
import { type Programs, runProgram } from './programs.js';

export const SUPERUSER = 'latchkey';

const CREATE_TIMEOUT_MS = 60_000;

/** Passwords over TCP and sockets alike; text sorted by code point, the same on every machine. */
const INITDB_OPTIONS = [
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

/** The files of a database cluster, and the password of its only user. */
export interface Cluster {
  data: string;
  log: string;
  password: string;
}

/** Opens the cluster of a data folder; creates it at the first start. Rejects one that another major version made. */
export async function openCluster(
  dataFolder: DataFolder,
  programs: Programs,
  sync: boolean,
  report: (line: string) => void,
): Promise<Cluster> {
  const folder = join(dataFolder.path, 'cluster');
  await makeWhole(folder, async (draft) => {
    report('Creating the database cluster…');
    await createCluster(draft, dataFolder, programs, sync);
  });

  const data = join(folder, 'data');
  await expectVersion(data, programs.majorVersion);
  return {
    data,
    log: join(folder, 'postgres.log'),
    password: await readFile(join(folder, 'password'), 'utf8'),
  };
}

async function createCluster(
  folder: string,
  dataFolder: DataFolder,
  programs: Programs,
  sync: boolean,
): Promise<void> {
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  await giveToOwner(folder, dataFolder);
  if (dataFolder.account) await giveTo(dataFolder.account, [data, passwordFile]);

  const options = [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    ...INITDB_OPTIONS,
    ...(sync ? [] : ['--no-sync']),
  ];
  await runProgram(programs.initdb, options, dataFolder.account, CREATE_TIMEOUT_MS);
}

async function giveTo({ uid, gid }: Account, paths: string[]): Promise<void> {
  for (const path of paths) await lchown(path, uid, gid);
}

async function expectVersion(data: string, majorVersion: string): Promise<void> {
  const found = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (found === majorVersion) return;
  throw new Error(
    `${dirname(data)} was made by PostgreSQL ${found}, and this is PostgreSQL ${majorVersion}: remove that folder to start with an empty database, or set SVC_DATABASE_URL.`,
  );
}
