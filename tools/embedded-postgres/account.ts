import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const SERVICE_USERS = ['nobody', 'postgres'];

/** A user of the operating system, in the form `spawn` and `chown` take. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * The account the server runs as. Returns null for our own, unless that is root, as which PostgreSQL refuses to run.
 */
export async function serverAccount(folder: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;

  const { uid, gid } = await stat(folder);
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  // PostgreSQL wants a user with a name, which the owner of a folder mounted into a container may not have.
  const hasName = users.some((user) => user[2] === String(uid));
  return uid !== 0 && hasName ? { uid, gid } : serviceAccount(users);
}

/** Whether an account may enter a folder and all folders above it. */
export async function mayEnter(folder: string, account: Account): Promise<boolean> {
  let current = await realpath(folder);
  while (await isOpenTo(current, account)) {
    if (current === dirname(current)) return true;
    current = dirname(current);
  }
  return false;
}

function serviceAccount(users: string[][]): Account {
  for (const name of SERVICE_USERS) {
    const user = users.find((fields) => fields[0] === name);
    if (user) return { uid: Number(user[2]), gid: Number(user[3]) };
  }
  throw new Error(
    `PostgreSQL does not run as root, and there is no user ${SERVICE_USERS.join(' or ')} to run it as: start as another user, or set SVC_DATABASE_URL.`,
  );
}

async function isOpenTo(folder: string, account: Account): Promise<boolean> {
  const { uid, gid, mode } = await stat(folder);
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
