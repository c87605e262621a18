import { execFile } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A postmaster.pid without content is normal while it is being written, a leftover of a crash after this time. */
const EMPTY_FILE_EXPIRES_AFTER_MS = 5_000;

/** The main process of a server, as its postmaster.pid describes it. */
export interface Postmaster {
  pid: number;
  port: number;
  isReady: boolean;
}

/**
 * The postmaster of a data folder. Returns null when none runs, and removes a postmaster.pid that would keep the next
 * from starting.
 */
export async function findPostmaster(data: string): Promise<Postmaster | null> {
  const file = join(data, 'postmaster.pid');
  const content = await readFile(file, 'utf8').catch(unlessMissing);
  if (content === null) return null;

  const [pid, , , port, , , , state] = content.split('\n');
  if (pid && (await isPostmaster(Number(pid), data))) {
    return { pid: Number(pid), port: Number(port), isReady: state?.trim() === 'ready' };
  }
  if (pid ? isAlive(Number(pid)) : await isExpired(file)) await removeUnchanged(file, content);
  return null;
}

/**
 * A pid alone proves nothing: after a crash it may belong to another program, or to a zombie, which has no command
 * line.
 */
async function isPostmaster(pid: number, data: string): Promise<boolean> {
  return isAlive(pid) && (process.platform === 'win32' || (await commandLine(pid)).includes(data));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return stdout;
}

async function isExpired(file: string): Promise<boolean> {
  const writtenAt = (await stat(file).catch(() => null))?.mtimeMs ?? Date.now();
  return Date.now() - writtenAt > EMPTY_FILE_EXPIRES_AFTER_MS;
}

/**
 * Safe, although another server may be starting: PostgreSQL refuses to start over the pid of a living process, and
 * notices backends that still use the data by their shared memory.
 */
async function removeUnchanged(file: string, content: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(unlessMissing)) === content) await rm(file, { force: true });
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
