import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../../tools/embedded-postgres/free-port.js';
import { START_PATIENCE_MS } from '../../support/service-process.js';
import { BegunSignup } from '../../support/signups.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

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
});
