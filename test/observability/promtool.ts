import { spawnSync } from 'node:child_process';
import { describeWhere } from '../support/where.js';

/** Whether the tool of Prometheus is installed, as Debian's package `prometheus` does. */
const isInstalled = spawnSync('promtool', ['--version']).error === undefined;

export const describeWithPromtool = describeWhere(isInstalled);

/** What promtool says, with its exit status. */
export function promtool(words: string[], input?: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}
