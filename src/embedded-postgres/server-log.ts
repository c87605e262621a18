import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises';

const MAX_BYTES = 10 * 1024 * 1024;
const TAIL_LINES = 20;

/** Opens the log to append to; sets a grown one aside, in place of the one set aside before. */
export async function openLog(path: string): Promise<FileHandle> {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size > MAX_BYTES) await rename(path, `${path}.old`);
  return open(path, 'a', 0o600);
}

/** The last lines written to the log after its first `offset` bytes. */
export async function readLogTail(path: string, offset: number): Promise<string> {
  const written = (await readFile(path)).subarray(offset).toString('utf8');
  return written.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}
