import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../../tools/embedded-postgres/free-port.js';
import { runProgram } from '../../support/command-line.js';
import { connectTo, lastAnswerOn } from '../../support/send.js';
import { ServiceProcess } from '../../support/service-process.js';
import { BegunSignup } from '../../support/signups.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

const started: ServiceProcess[] = [];
afterEach(() => Promise.all(started.splice(0).map((service) => service.kill())));

async function startService(
  database: TestDatabase,
  variables: Record<string, string> = {},
): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(database, { SVC_BCRYPT_COST: '12', ...variables });
  started.push(service);
  return service;
}

describe('the process of the service', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes the requests in flight on %s, and exits with 0',
    async (signal) => {
      const database = await TestDatabase.create();
      const { child, port } = await startService(database);
      const signup = await BegunSignup.at(port);

      const exited = once(child, 'exit');
      child.kill(signal);

      expect(await signup.finish()).toBe(202);
      expect(await exited).toEqual([0, null]);
      expect(await database.value('SELECT count(*)::int FROM signups')).toBe(1);
      await database.close();
    },
  );

  it('waits for no request that never comes whole: it answers 408, and exits with 0', async () => {
    const database = await TestDatabase.create();
    const service = await startService(database);
    const head = 'POST /auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    const sent = [
      '',
      head,
      `${head}content-length: 60\r\n\r\n{`,
      `${head}transfer-encoding: chunked\r\n\r\n1`,
    ];
    const sockets = await Promise.all(sent.map(() => connectTo(service.port)));
    for (const [index, socket] of sockets.entries()) socket.write(sent[index] ?? '');
    await fetch(`${service.url}/health/live`);

    const stopping = performance.now();
    const [stopped, ...answers] = await Promise.all([service.stop(), ...sockets.map(lastAnswerOn)]);

    expect(stopped).toBe(0);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([408, 408, 408, 408]);
    expect(performance.now() - stopping).toBeLessThan(15_000);
    await database.close();
  });

  it('accepts requests for SVC_STOP_DELAY_SECONDS more, and makes the load balancer send them elsewhere', async () => {
    const database = await TestDatabase.create();
    const service = await startService(database, { SVC_STOP_DELAY_SECONDS: '3', SVC_LOG_LEVEL: 'warn' });
    const ready = () => fetch(`${service.url}/health/ready`);

    const stopped = service.stop();
    await until(async () => (await ready()).status === 503);

    expect(await (await ready()).json()).toMatchObject({ down: ['stopping'] });
    const answer = await fetch(`${service.url}/users/me`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close']);
    expect(await stopped).toBe(0);
    expect(service.output).toBe('');
    await database.close();
  });

  it.each([['1'], ['2']])('ends at once with 1 at a second signal, with SVC_WORKERS=%s', async (workers) => {
    const database = await TestDatabase.create();
    const service = await startService(database, {
      SVC_WORKERS: workers,
      SVC_STOP_DELAY_SECONDS: '60',
      SVC_LOG_LEVEL: 'info',
    });

    const stopped = service.stop();
    await until(() => service.output.includes('service.stopping'));
    // What comes within a second counts as the same signal.
    await setTimeout(1_100);
    service.child.kill('SIGTERM');

    expect(await stopped).toBe(1);
    await database.close();
  });

  it('migrates an empty database at its start, also when two start at once', async () => {
    const database = await TestDatabase.create();
    const migrations = await database.value('SELECT count(*)::int FROM migrations');
    await database.rows('DROP SCHEMA public CASCADE');
    await database.rows('CREATE SCHEMA public');

    const owner = { SVC_DATABASE_URL: database.ownerUrl };
    const services = await Promise.all([startService(database, owner), startService(database, owner)]);

    for (const { port } of services) {
      expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
    }
    expect(await database.value('SELECT count(*)::int FROM migrations')).toBe(migrations);
    await database.close();
  });

  it('writes a line of JSON for each request in beta, the last of them before it ends', async () => {
    const database = await TestDatabase.create();
    const service = await startService(database, {
      SVC_ENVIRONMENT: 'beta',
      SVC_BASE_WEB_URL: 'https://app.example.com',
      SVC_BASE_API_URL: 'https://api.example.com',
      SVC_EMAIL_PROVIDER: 'stub',
      SVC_JWT_SECRET_KEY: 'a secret that only this test knows and has 32',
      SVC_CRON_SECRET: 'a cron secret of this test that has 32 and more',
      SVC_LOG_LEVEL: 'info',
    });

    const answers = await Promise.all(Array.from({ length: 200 }, () => fetch(`${service.url}/users/me`)));
    expect(await service.stop()).toBe(0);

    const lines = service.output.trimEnd().split('\n');
    const logged = lines.map((line) => JSON.parse(line)).filter(({ route }) => route === '/users/me');
    const asked = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(logged.map(({ request_id }) => request_id).sort()).toEqual(asked.sort());
    await database.close();
  });

  it('can be waited for with ready.js, which says too that it is gone', async () => {
    const database = await TestDatabase.create();
    const port = String(await findFreePort('127.0.0.1'));
    const waiting = runProgram('ready', ['--wait', '60'], { SVC_PORT: port });
    const service = await startService(database, { SVC_PORT: port, SVC_HOST: '0.0.0.0' });

    expect((await waiting).code).toBe(0);
    expect((await runProgram('ready', [], { SVC_PORT: port, SVC_HOST: '0.0.0.0' })).code).toBe(0);
    await service.kill();
    expect((await runProgram('ready', [], { SVC_PORT: port })).code).toBe(1);
    expect(await runProgram('ready', ['--wait'], {})).toMatchObject({
      code: 2,
      output: expect.stringContaining('Usage: '),
    });
    await database.close();
  });

  it('logs an error that no code caught, and ends with 1', async () => {
    const database = await TestDatabase.create();
    const crash = `process.on('SIGUSR2', () => { throw new Error('on purpose'); })`;
    const { child } = await startService(database, {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}`,
    });

    const exited = once(child, 'exit');
    child.kill('SIGUSR2');

    expect(await exited).toEqual([1, null]);
    expect(started[0]?.output).toMatch(/process\.crashed[\s\S]*on purpose/);
    await database.close();
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const program of ['main', 'cli'] as const)
      expect(await runProgram(program, ['--version'], {})).toMatchObject({ code: 0, lines: [version] });
  });

  it('loads no migration and no migrator when none is missing', async () => {
    const database = await TestDatabase.create();
    const noted = join(mkdtempSync(join(tmpdir(), 'latchkey-loads-')), 'noted');
    await startService(database, {
      NODE_OPTIONS: '--import ./test/setup/note-loads.js',
      LATCHKEY_TEST_LOADS: noted,
    });

    expect(readFileSync(noted, 'utf8')).toContain('/dist/main.js');
    // In the bundle, a file of each migration begins with its number.
    expect(readFileSync(noted, 'utf8')).not.toMatch(/\/dist\/(bundle\/\d+-|src\/|migrations\/)/);
    await database.close();
  });

  it('does not start with a configuration that is not valid, and names all its errors', async () => {
    const { code, output } = await runProgram('main', [], { SVC_ENVIRONMENT: 'prod', SVC_PORT: 'x' });

    expect(code).toBe(1);
    for (const name of ['SVC_PORT', 'SVC_BASE_WEB_URL', 'SVC_BASE_API_URL', 'SVC_DATABASE_URL'])
      expect(output).toContain(name);
  });
});
