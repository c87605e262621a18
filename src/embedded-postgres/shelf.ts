import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, mayEnter } from './account.js';

const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Opens root's folder outside every home, for what the server's account must reach. It lies in a world-writable
 * place, so one that somebody else made is refused.
 */
export async function openShelf(account: Account): Promise<string> {
  const shelf = join(await lastingPlace(account), 'latchkey-root');
  await mkdir(shelf, { mode: 0o700 }).catch(unlessItExists);

  // lstat: a symbolic link would be followed to wherever its maker points.
  const found = await lstat(shelf);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw new Error(`${shelf} is not a folder that only root writes to: remove it, or set SVC_DATABASE_URL.`);
  }
  await chmod(shelf, 0o711);
  return shelf;
}

async function lastingPlace(account: Account): Promise<string> {
  // /var/tmp first, because it outlives a restart of the machine.
  for (const place of ['/var/tmp', '/tmp', tmpdir()]) {
    if (await isSafe(place, account)) return place;
  }
  throw new Error('There is no folder for temporary files that PostgreSQL can use: set SVC_DATABASE_URL.');
}

async function isSafe(place: string, account: Account): Promise<boolean> {
  const found = await lstat(place).catch(() => null);
  if (!found?.isDirectory() || found.uid !== 0 || !(await mayEnter(place, account))) return false;
  return (found.mode & STICKY) !== 0 || (found.mode & WRITABLE_BY_OTHERS) === 0;
}

function unlessItExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
