import { createHash } from 'node:crypto';
import { chmod, lchown, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Account, mayEnter, serverAccount } from './account.js';
import { openShelf } from './shelf.js';

/** The folder an embedded server lives in, and the account it runs as there (null: our own). */
export interface Home {
  folder: string;
  account: Account | null;
}

/**
 * Opens the home of a data folder: the folder itself, or a lasting stand-in where the server's account cannot enter
 * it.
 */
export async function openHome(dataDir: string, report: (line: string) => void): Promise<Home> {
  await makeFolder(dataDir);
  const folder = await realpath(dataDir);
  const account = await serverAccount(folder);
  if (!account || (await mayEnter(folder, account))) return { folder, account };

  const standIn = join(
    await openShelf(account),
    createHash('sha256').update(folder).digest('hex').slice(0, 16),
  );
  await mkdir(standIn, { recursive: true });
  await chmod(standIn, 0o711);
  report(
    `Keeping the data in ${standIn}, because PostgreSQL, which does not run as root, cannot enter ${folder}.`,
  );
  return { folder: standIn, account };
}

/** Gives a file of the home to the folder's owner, so that a start as root leaves nothing its owner cannot use. */
export async function giveToOwner(path: string, home: Home): Promise<void> {
  if (!home.account) return;
  const { uid, gid } = await stat(home.folder);
  await lchown(path, uid, gid);
}

async function makeFolder(folder: string): Promise<void> {
  const topmost = await mkdir(folder, { recursive: true });
  if (!topmost || process.getuid?.() !== 0) return;

  const { uid, gid } = await stat(dirname(topmost));
  for (let made = folder; made.length >= topmost.length; made = dirname(made)) await lchown(made, uid, gid);
}
