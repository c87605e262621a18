import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../../tools/embedded-postgres/free-port.js';
import { ServiceProcess, START_PATIENCE_MS } from '../../support/service-process.js';
import { BegunSignup } from '../../support/signups.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

/** Preloaded: V8 knows each flag by another name. */
const FORGET_FLAGS = `
  import { syncBuiltinESMExports } from 'node:module';
  import v8 from 'node:v8';
  const set = v8.setFlagsFromString;
  v8.setFlagsFromString = (flag) => {
    set(flag.replace(/^--(no-)?/, '--forgotten-'));
    console.log('forgotten: ' + flag);
  };
  syncBuiltinESMExports();`;

let child: ChildProcess | undefined;
let database: TestDatabase;
afterEach(async () => {
  if (child?.exitCode === null) process.kill(-Number(child.pid), 'SIGKILL');
  await database.close();
});

const isServing = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('npm start', () => {
  it.each([
    ['npm', 'SIGTERM', false],
    ['npm', 'SIGINT', false],
    ['the whole process group', 'SIGTERM', true],
    ['the whole process group', 'SIGINT', true],
  ] as const)(
    'finishes the requests in flight and ends with 0 when %s gets %s',
    async (_, signal, isForAll) => {
      database = await TestDatabase.create();
      const port = await findFreePort('127.0.0.1');
      child = spawn('npm', ['start'], {
        detached: true,
        env: {
          PATH: process.env.PATH,
          SVC_ENVIRONMENT: 'dev',
          SVC_PORT: String(port),
          SVC_DATABASE_URL: database.url,
          SVC_LOG_LEVEL: 'silent',
        },
        stdio: 'ignore',
      });
      await until(() => isServing(port), START_PATIENCE_MS);
      const signup = await BegunSignup.at(port);

      const ended = once(child, 'exit');
      process.kill(isForAll ? -Number(child.pid) : Number(child.pid), signal);

      expect(await signup.finish()).toBe(202);
      expect(await ended).toEqual([0, null]);
      expect(await isServing(port)).toBe(false);
    },
    START_PATIENCE_MS,
  );

  it('serves also where Node no longer knows the flags that the service sets', async () => {
    database = await TestDatabase.create();
    const service = await ServiceProcess.start(database, {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FORGET_FLAGS)}`,
    });
    await service.stop();

    expect(service.output).toContain('forgotten: --no-maglev');
  });
});
