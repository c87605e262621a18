import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { runProgram } from '../support/command-line.js';
import { ServiceProcess } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const TOKEN = 'the token of the scraper and of the tests';

let database: TestDatabase;
let service: ServiceProcess | undefined;
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await service?.kill();
  service = undefined;
  await database.close();
});

/** The processes of the workers that have begun to serve, the dead ones among them. */
const workers = () =>
  [...(service?.output ?? '').matchAll(/listening on .*"worker":(\d+)/g)].map(([, pid]) => Number(pid));

async function startTwo(variables: Record<string, string> = {}): Promise<ServiceProcess> {
  service = await ServiceProcess.start(database, {
    SVC_WORKERS: '2',
    SVC_LOG_LEVEL: 'info',
    SVC_RATE_LIMITS: 'off',
    ...variables,
  });
  await until(() => workers().length === 2);
  return service;
}

/** Requests on connections of their own, which the workers take in turn. */
function requests(number: number, { url }: ServiceProcess): Promise<number[]> {
  const request = () => fetch(`${url}/users/me`, { headers: { connection: 'close' } });
  return Promise.all(Array.from({ length: number }, async () => (await request()).status));
}

/** A signup of which all but the body has been sent. */
async function beginSignup({ port }: ServiceProcess): Promise<() => Promise<string>> {
  const body = JSON.stringify({ email: freshAddress(), password: PASSWORD });
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(
    `POST /auth/signup HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  await once(socket, 'connect');
  return async () => {
    socket.write(body);
    const [answer] = await once(socket, 'data');
    return String(answer).slice(0, 'HTTP/1.1 202'.length);
  };
}

describe('two workers', () => {
  it('share the port, and both answer', async () => {
    await requests(10, await startTwo());

    const answered = [...String(service?.output).matchAll(/"worker":(\d+),.*"route":"\/users\/me"/g)];
    expect(new Set(answered.map(([, pid]) => Number(pid)))).toEqual(new Set(workers()));
  });

  it('count as one for Prometheus, and what both read from PostgreSQL is not doubled', async () => {
    const started = await startTwo({ SVC_METRICS_TOKEN: TOKEN });
    await database.rows(
      `INSERT INTO outbox_mails (id, kind, recipient, subject, due_at)
       VALUES (gen_random_uuid(), 'welcome', 'ada@example.com', 'Hello', 'infinity')`,
    );
    await requests(10, started);

    const answer = await fetch(`${started.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const text = await answer.text();
    expect(text).toContain('latchkey_http_requests_total{method="GET",route="/users/me",status="401"} 10\n');
    expect(text).toContain('latchkey_sessions_refused_total{cookie="none"} 10\n');
    expect(text).toContain('latchkey_outbox_mails{state="waiting"} 1\n');
  });

  it('are two again after one was killed, and the other serves meanwhile', async () => {
    const started = await startTwo();
    const [first] = workers();
    process.kill(Number(first), 'SIGKILL');

    await until(() => started.output.includes('a worker ended'));
    expect(new Set(await requests(10, started))).toEqual(new Set([401]));
    await until(() => workers().length === 3);
    expect(new Set(workers()).size).toBe(3);
    expect(new Set(await requests(10, started))).toEqual(new Set([401]));
  });

  it('finish the requests in flight on SIGTERM, and the process exits with 0', async () => {
    const started = await startTwo();
    const signups = await Promise.all(Array.from({ length: 20 }, () => beginSignup(started)));
    await requests(2, started);

    const stopped = started.stop();
    await until(() => started.output.match(/SIGTERM: finishing/g)?.length === 2);
    const answers = await Promise.all(signups.map((finish) => finish()));

    expect(answers).toEqual(Array(20).fill('HTTP/1.1 202'));
    expect(await stopped).toBe(0);
    expect(await database.value('SELECT count(*)::int FROM users')).toBe(20);
  });

  it('end with their primary, also when it is killed', async () => {
    const started = await startTwo();
    await started.kill();
    await until(() =>
      requests(1, started).then(
        () => false,
        () => true,
      ),
    );
  });
});

describe('a start that fails', () => {
  const start = (variables: Record<string, string>) =>
    runProgram('main', [], {
      SVC_ENVIRONMENT: 'dev',
      SVC_LOG_LEVEL: 'silent',
      SVC_WORKERS: '2',
      SVC_DATABASE_URL: database.url,
      ...variables,
    });

  /** How often a text occurs in another. */
  const times = (text: string, output: string) => output.split(text).length - 1;

  it('tells the faults of the configuration once', async () => {
    const { code, output } = await start({ SVC_PORT: 'x' });

    expect([code, times('SVC_PORT', output)]).toEqual([1, 1]);
  });

  it('tells once that the database does not answer', async () => {
    const { code, output } = await start({ SVC_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });

    expect([code, times('ECONNREFUSED', output)]).toEqual([1, 1]);
  });

  it('tells once that the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    const { code, output } = await start({ SVC_PORT: String(port) });
    other.close();

    expect([code, times('EADDRINUSE', output)]).toEqual([1, 1]);
  });
});
