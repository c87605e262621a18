import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.js';

/**
 * What the programs see of the environment: nothing of ours, so that no PG variable changes how they work, and
 * messages in English.
 */
export const PROGRAM_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

/** Runs one of PostgreSQL's programs to its end and returns what it printed. Rejects with what it complained of. */
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
