import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../../tools/embedded-postgres/free-port.js';
import { DEPLOYED, START_PATIENCE_MS } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

let folder: string;
let reader: ChildProcess;
let service: ChildProcess;
let database: TestDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-log-'));
  database = await TestDatabase.create();
});
afterEach(async () => {
  service.kill('SIGKILL');
  reader.kill('SIGKILL');
  await database.close();
  await rm(folder, { recursive: true });
});

/** Starts the service with its log in a pipe of the shell's kind: what Node gives a child is a socket. */
async function startWithReader(variables: Record<string, string>): Promise<() => string> {
  const pipe = join(folder, 'log');
  execFileSync('mkfifo', [pipe]);
  reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = openSync(pipe, 'w');
  const port = String(await findFreePort('127.0.0.1'));
  service = spawn(process.execPath, ['dist/main.js'], {
    env: {
      PATH: process.env.PATH,
      ...DEPLOYED,
      SVC_PORT: port,
      SVC_DATABASE_URL: database.url,
      ...variables,
    },
    stdio: ['ignore', output, 'inherit'],
  });
  closeSync(output);
  let log = '';
  reader.stdout?.on('data', (lines) => {
    log += lines;
  });
  await until(() => log.includes('service.started'), START_PATIENCE_MS);
  return () => log;
}

describe('the service whose log is read no longer', () => {
  it.each([['1'], ['2']])(
    'stops as always when its reader goes away during the stop, with SVC_WORKERS=%s',
    async (workers) => {
      const log = await startWithReader({ SVC_WORKERS: workers, SVC_STOP_DELAY_SECONDS: '3' });

      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      await until(() => log().includes('service.stopping'));
      reader.kill('SIGKILL');

      expect(await ended).toEqual([0, null]);
    },
    START_PATIENCE_MS + 30_000,
  );
});
