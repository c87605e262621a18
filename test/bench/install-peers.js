import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

const FOLDER = import.meta.dirname;

/** Installs the peers beside the bench, unless they are there: `npm ci` of the service leaves them out. */
export async function installPeers(report) {
  if (existsSync(`${FOLDER}/node_modules`)) return;
  report('installing the peers into test/bench/node_modules');

  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' });
  const [code] = await once(npm, 'exit');
  if (code !== 0) throw new Error('npm ci failed in test/bench');
}
