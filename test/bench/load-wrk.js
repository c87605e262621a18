import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = join(import.meta.dirname, 'wrk.lua');

/** A load by wrk, whose script prints what it found as JSON. */
export async function wrkLoad({ url, cookies, connections, seconds, body }) {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
  const file = join(folder, 'cookies');
  await writeFile(file, cookies.join('\n'));

  try {
    const { stdout } = await promisify(execFile)(
      'wrk',
      ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', SCRIPT, url],
      { env: { ...process.env, BENCH_COOKIES: file, ...(body && { BENCH_BODY: JSON.stringify(body) }) } },
    );
    return JSON.parse(stdout.trim().split('\n').at(-1));
  } finally {
    await rm(folder, { recursive: true });
  }
}
