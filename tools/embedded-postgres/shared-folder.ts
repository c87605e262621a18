import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, mayEnter } from './account.js';

const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Opens the folder that all data folders share when root starts the server, for files that the server's account must
 * reach. It lies in a world-writable place: one that another user made is refused.
 */
export async function openSharedFolder(account: Account): Promise<string> {
  const sharedFolder = join(await lastingParent(account), 'latchkey-root');
  await mkdir(sharedFolder, { mode: 0o700 }).catch(unlessItExists);

  // lstat, because stat would follow a symbolic link to a folder that another user chose.
  const found = await lstat(sharedFolder);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw new Error(
      `${sharedFolder} is not a folder that only root writes to: remove it, or set SVC_DATABASE_URL.`,
    );
  }
  await chmod(sharedFolder, 0o711);
  return sharedFolder;
}

async function lastingParent(account: Account): Promise<string> {
  // /var/tmp first, because it outlives a restart of the machine.
  for (const parent of ['/var/tmp', '/tmp', tmpdir()]) {
    if (await isSafe(parent, account)) return parent;
  }
  throw new Error('There is no folder for temporary files that PostgreSQL can use: set SVC_DATABASE_URL.');
}

async function isSafe(parent: string, account: Account): Promise<boolean> {
  const found = await lstat(parent).catch(() => null);
  if (!found?.isDirectory() || found.uid !== 0 || !(await mayEnter(parent, account))) return false;
  return (found.mode & STICKY) !== 0 || (found.mode & WRITABLE_BY_OTHERS) === 0;
}

function unlessItExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
