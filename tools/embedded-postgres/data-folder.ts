import { createHash } from 'node:crypto';
import { chmod, lchown, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Account, mayEnter, serverAccount } from './account.js';
import { openSharedFolder } from './shared-folder.js';

/** The folder that holds all files of an embedded server. */
export interface DataFolder {
  path: string;
  /** The account the server runs as there; null for our own. */
  account: Account | null;
}

/** Opens a data folder: the one asked for, or a lasting stand-in where the server's account cannot enter that one. */
export async function openDataFolder(dataDir: string, report: (line: string) => void): Promise<DataFolder> {
  await makeFolder(dataDir);
  const path = await realpath(dataDir);
  const account = await serverAccount(path);
  if (!account || (await mayEnter(path, account))) return { path, account };

  const standIn = join(
    await openSharedFolder(account),
    createHash('sha256').update(path).digest('hex').slice(0, 16),
  );
  await mkdir(standIn, { recursive: true });
  await chmod(standIn, 0o711);
  report(
    `Keeping the data in ${standIn}, because PostgreSQL, which does not run as root, cannot enter ${path}.`,
  );
  return { path: standIn, account };
}

/** Gives a file in the folder to the folder's owner, so that a start as root leaves nothing that owner cannot use. */
export async function giveToOwner(file: string, { path, account }: DataFolder): Promise<void> {
  if (!account) return;
  const { uid, gid } = await stat(path);
  await lchown(file, uid, gid);
}

async function makeFolder(folder: string): Promise<void> {
  const topmost = await mkdir(folder, { recursive: true });
  if (!topmost || process.getuid?.() !== 0) return;

  const { uid, gid } = await stat(dirname(topmost));
  for (let made = folder; made.length >= topmost.length; made = dirname(made)) await lchown(made, uid, gid);
}
