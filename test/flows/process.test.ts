import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { runProgram } from '../support/command-line.js';
import { ServiceProcess } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';

const started: ServiceProcess[] = [];
afterEach(() => Promise.all(started.splice(0).map((service) => service.kill())));

async function startService(database: TestDatabase): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(database, { SVC_BCRYPT_COST: '12' });
  started.push(service);
  return service;
}

describe('the process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes the requests in flight on %s, and exits with 0',
    async (signal) => {
      const database = await TestDatabase.create();
      const { child, port } = await startService(database);
      const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery staple' });

      // The head of the request is there, its body is not: it is in flight whatever the machine is busy with.
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      socket.write(
        `POST /auth/signup HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      await fetch(`http://127.0.0.1:${port}/health/live`);
      child.kill(signal);
      socket.write(body);

      const [answer] = await once(socket, 'data');
      expect(answer).toMatch(/^HTTP\/1\.1 202 /);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(await database.value('SELECT count(*)::int FROM users')).toBe(1);
      await database.close();
    },
  );

  it('migrates an empty database at its start, also when two start at once', async () => {
    const database = await TestDatabase.create();
    const migrations = await database.value('SELECT count(*)::int FROM migrations');
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await owner.end();

    const services = await Promise.all([startService(database), startService(database)]);

    for (const { port } of services) {
      expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
    }
    expect(await database.value('SELECT count(*)::int FROM migrations')).toBe(migrations);
    await database.close();
  });

  it('does not start with a faulty configuration, and names all its faults', async () => {
    const { code, output } = await runProgram('main', [], { SVC_ENVIRONMENT: 'prod', SVC_PORT: 'x' });

    expect(code).toBe(1);
    for (const name of ['SVC_PORT', 'SVC_BASE_WEB_URL', 'SVC_BASE_API_URL', 'SVC_DATABASE_URL'])
      expect(output).toContain(name);
  });
});
