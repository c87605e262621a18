import { spawnSync } from 'node:child_process';
import { describe } from '@jest/globals';

/** Whether the tool of Prometheus is installed, as Debian's package `prometheus` does. */
const isInstalled = spawnSync('promtool', ['--version']).error === undefined;

/** A group of tests that need promtool, and are skipped where it is missing. */
export const describeWithPromtool = isInstalled ? describe : describe.skip;

/** What promtool says, with its exit status. */
export function promtool(words: string[], input?: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}
