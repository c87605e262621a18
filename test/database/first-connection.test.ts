import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorError } from '../../src/config/operator-error.js';
import type { Finding } from '../../src/config/preflight/finding.js';
import { readFirst } from '../../src/database/first-connection.js';
import { PostgresStandIn } from '../support/postgres-stand-in.js';
import { TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create();
});
afterAll(() => database.close());

/** What an operator is told of an address; null when it can be read from. */
async function findingAt(url: string): Promise<Finding | null> {
  try {
    await readFirst({ variable: 'SVC_DATABASE_URL', url }, (query) => query('SELECT 1'));
    return null;
  } catch (error) {
    if (error instanceof OperatorError) return error.finding;
    throw error;
  }
}

/** The address of the test's database with some parts changed. */
function changed(parts: {
  pathname?: string;
  username?: string;
  password?: string;
  search?: string;
}): string {
  return Object.assign(new URL(database.url), parts).href;
}

/** What an operator is told of a server that reports these parameters. */
async function findingOf(parameters: Record<string, string>, search = ''): Promise<Finding | null> {
  const standIn = await PostgresStandIn.start(parameters);
  return findingAt(standIn.url + search).finally(() => standIn.stop());
}

describe('the first connection to the database', () => {
  it('finds no fault in a database that answers', async () => {
    expect(await findingAt(database.url)).toBeNull();
  });

  it('names the address where PostgreSQL does not answer, and the variable', async () => {
    expect(await findingAt('postgres://latchkey@127.0.0.1:1/latchkey')).toEqual({
      code: 'DATABASE_UNREACHABLE',
      severity: 'error',
      text: 'PostgreSQL does not answer at 127.0.0.1:1, which SVC_DATABASE_URL names.',
      fix: 'See that it runs and that this machine may reach it.',
    });
    expect(await findingAt('postgres:///latchkey?host=/nowhere')).toMatchObject({
      code: 'DATABASE_UNREACHABLE',
    });
  });

  it('names the host that has no address', async () => {
    expect(await findingAt('postgres://latchkey@database.invalid/latchkey')).toMatchObject({
      code: 'DATABASE_HOST_UNKNOWN',
      text: 'No address is known for "database.invalid", the host in SVC_DATABASE_URL.',
    });
  });

  it('names the variable whose address cannot be read, and not the password in it', async () => {
    const finding = await findingAt('postgres://latchkey:hun#ter/2@127.0.0.1:x/latchkey');
    expect(finding).toMatchObject({ code: 'DATABASE_URL_UNREADABLE' });
    expect(JSON.stringify(finding)).not.toContain('hun');
  });

  it.each([
    'postgres://latchkey:hun@ter2#word@127.0.0.1/latchkey',
    'postgres://latchkey:12/hunter2@127.0.0.1/latchkey',
    'postgres://latchkey:12?hunter2@127.0.0.1/latchkey',
    'postgres://latchkey:100%hunter2@127.0.0.1/latchkey',
    'postgres://latchkey:%ffhunter2@127.0.0.1/latchkey',
  ])(
    'takes %s for unreadable, not for the address of another server, and prints nothing of it',
    async (url) => {
      const finding = await findingAt(url);
      expect(finding).toMatchObject({
        code: 'DATABASE_URL_UNREADABLE',
        fix: expect.stringContaining('percent-encoded'),
      });
      expect(JSON.stringify(finding)).not.toMatch(/hun|ter2|#word/);
    },
  );

  it('reads an address whose password is percent-encoded, or has an @ that stays clear', async () => {
    for (const password of ['hun%40ter%232', 'hun@ter2'])
      expect(await findingAt(`postgres://latchkey:${password}@127.0.0.1:1/latchkey`)).toMatchObject({
        code: 'DATABASE_UNREACHABLE',
      });
  });

  it('names the database that is missing, with the command that makes it', async () => {
    expect(await findingAt(changed({ pathname: '/nope' }))).toMatchObject({
      code: 'DATABASE_MISSING',
      text: 'There is no database "nope" (SVC_DATABASE_URL).',
      fix: 'Make it with: createdb --owner <role> nope',
    });
  });

  it.each(['nobody', ''])(
    'names the role that PostgreSQL does not log in with the password "%s"',
    async (password) => {
      expect(await findingAt(changed({ username: 'stranger', password }))).toMatchObject({
        code: 'DATABASE_REFUSES_THE_ROLE',
        text: expect.stringContaining('"stranger"'),
        fix: expect.stringContaining('the password in SVC_DATABASE_URL and pg_hba.conf'),
      });
    },
  );

  it('says that the server does not speak TLS where sslmode asks for it', async () => {
    expect(await findingAt(changed({ search: '?sslmode=verify-full' }))).toMatchObject({
      code: 'DATABASE_WITHOUT_TLS',
      text: expect.stringContaining('sslmode in SVC_DATABASE_URL'),
    });
  });

  it('says that the certificate is not accepted, and that its authority cannot be read', async () => {
    for (const search of ['?sslmode=verify-full', '?sslmode=verify-full&sslrootcert=/nowhere.pem'])
      expect(await findingOf({}, search)).toMatchObject({
        code: 'DATABASE_CERTIFICATE',
        fix: expect.stringContaining('sslrootcert'),
      });
  });

  it('refuses a standby, and a server that cannot say whether it is one', async () => {
    expect(await findingOf({ server_version: '17.2', in_hot_standby: 'on' })).toMatchObject({
      code: 'DATABASE_IS_A_STANDBY',
    });
    expect(await findingOf({ server_version: '13.11 (Debian 13.11-0)' })).toMatchObject({
      code: 'DATABASE_TOO_OLD',
      text: expect.stringContaining('of version 13'),
      fix: 'Upgrade it to 14 or newer.',
    });
  });

  it('passes on what else the server answers', async () => {
    const finding = await database.whileDown(() => findingAt(database.url));
    expect(finding).toMatchObject({
      code: 'DATABASE_REFUSES',
      text: expect.stringContaining('is not currently accepting connections'),
    });
  });
});
