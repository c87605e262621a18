import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** Where PostgreSQL's programs are: Debian keeps them off the PATH, by major version. */
export const POSTGRES_FOLDER = join(newestIn(DEBIAN_FOLDER) ?? '/usr/local', 'bin');

const versions = {
  Patroni: versionOf('patroni', '--version'),
  etcd: versionOf('etcd', '--version'),
  HAProxy: versionOf('haproxy', '-v'),
  PostgreSQL: versionOf(join(POSTGRES_FOLDER, 'postgres'), '--version'),
};

/** The programs of a cluster that are not on this machine. */
export const missingPrograms = Object.entries(versions).flatMap(([name, version]) =>
  version === null ? [name] : [],
);

/** The programs of a cluster with their versions, where none is missing. */
export const installedPrograms = Object.entries(versions)
  .map((program) => program.join(' '))
  .join(', ');

function newestIn(folder: string): string | null {
  const majors = existsSync(folder) ? readdirSync(folder).map(Number) : [];
  return majors.length > 0 ? join(folder, String(Math.max(...majors))) : null;
}

function versionOf(program: string, option: string): string | null {
  try {
    const said = execFileSync(program, [option], { encoding: 'utf8', stdio: 'pipe' });
    return /\d+(\.\d+)+/.exec(said)?.[0] ?? null;
  } catch {
    return null;
  }
}
