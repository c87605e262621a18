import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runProgram } from '../../support/command-line.js';
import { TestDatabase } from '../../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.close());

/** How a start of two workers ends, and how often it prints a text. */
async function start(text: string, variables: Record<string, string>) {
  const { code, output } = await runProgram('main', [], {
    SVC_ENVIRONMENT: 'dev',
    SVC_WORKERS: '2',
    SVC_DATABASE_URL: database.url,
    SVC_LOG_LEVEL: 'silent',
    ...variables,
  });
  for (const raw of ['    at ', 'EADDRINUSE', 'ECONNREFUSED']) expect(output).not.toContain(raw);
  return { code, times: output.split(text).length - 1 };
}

const ONCE = { code: 1, times: 1 };

describe('a start of two workers prints once', () => {
  it('that the configuration is not valid', async () => {
    expect(await start('SVC_LOG_LEVEL', { SVC_LOG_LEVEL: 'loud' })).toEqual(ONCE);
  });

  it('that the database does not answer', async () => {
    expect(
      await start('DATABASE_UNREACHABLE: PostgreSQL does not answer at 127.0.0.1:1,', {
        SVC_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      }),
    ).toEqual(ONCE);
  });

  it('that the database accepts the connection and stays silent', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const at = `127.0.0.1:${(silent.address() as AddressInfo).port}`;

    expect(
      await start(`DATABASE_UNREACHABLE: PostgreSQL does not answer at ${at},`, {
        SVC_DATABASE_URL: `postgres://latchkey@${at}/latchkey`,
      }),
    ).toEqual(ONCE);
    silent.close();
  });

  it('that the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    expect(
      await start(`PORT_TAKEN: Another process listens at 127.0.0.1:${port}.`, {
        SVC_PORT: String(port),
        SVC_LOG_LEVEL: 'error',
      }),
    ).toEqual(ONCE);
    other.close();
  });
});
