import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLatchkey, isProblem } from '../../src/client/latchkey.js';
import { signUp, TestBrowser } from '../../src/client/testing.js';
import { startTest, type TestService } from '../../src/testing.js';
import { product } from '../product/notes/product.js';
import { TestDatabase } from '../support/test-database.js';

/** A server for databases, as a product names it by `SVC_TEST_DATABASE_URL`. */
const databaseUrl = process.env.LATCHKEY_TEST_TEMPLATE;

let service: TestService;
beforeAll(async () => {
  service = await startTest(product, { databaseUrl });
});
afterAll(() => service.stop());

const testDatabases = async (): Promise<string[]> => {
  const server = TestDatabase.at(databaseUrl ?? '');
  const rows = await server.rows(`SELECT datname FROM pg_database WHERE datname LIKE 'latchkey_test_%'`);
  await server.close();
  return rows.map(({ datname }) => datname);
};

describe('startTest', () => {
  it('serves a product on a database of its own, which is gone in the end', async () => {
    const before = await testDatabases();
    const other = await startTest(product, { databaseUrl });
    const member = await other.seed.user({ org: 'Initech' });

    const path = `/orgs/${member.org_id}/notes`;
    const answer = await member.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Call Ada back' }),
    });
    expect([answer.status, (await member.fetch(path)).status]).toEqual([201, 200]);
    expect((await other.app.inject(path)).statusCode).toBe(401);
    expect(await testDatabases()).toHaveLength(before.length + 1);
    await other.stop();

    expect(await testDatabases()).toEqual(before);
  });

  it('has no limits', async () => {
    const latchkey = createLatchkey(service.url);
    const guess = () => latchkey.login({ email: 'ada@example.com', password: 'not that one' });
    const codes = await Promise.all(
      Array.from({ length: 30 }, () => guess().catch((error) => error.code as string)),
    );

    expect(new Set(codes)).toEqual(new Set(['InvalidCredentials']));
  });

  it.each([
    ['SVC_ENVIRONMENT is prod', { SVC_ENVIRONMENT: 'prod' }, {}],
    ['SVC_ENVIRONMENT is staging', {}, { SVC_ENVIRONMENT: 'staging' }],
    ['NODE_ENV is production', {}, { NODE_ENV: 'production' }],
  ])('refuses to run where %s, and makes no database', async (reason, settings, variables) => {
    const before = { list: await testDatabases(), variables: { ...process.env } };
    Object.assign(process.env, variables);
    try {
      await expect(startTest({}, { databaseUrl, settings })).rejects.toThrow(
        `startTest runs a service without limits, so it is for tests alone; ${reason}.`,
      );
    } finally {
      process.env = before.variables;
    }
    expect(await testDatabases()).toEqual(before.list);
  });

  it('takes no setting of the process, and leaves no database behind where one is wrong', async () => {
    const before = await testDatabases();
    process.env.SVC_BCRYPT_COST = 'many';
    try {
      await (await startTest({}, { databaseUrl })).stop();
    } finally {
      delete process.env.SVC_BCRYPT_COST;
    }
    await expect(startTest({}, { databaseUrl, settings: { SVC_BCRYPT_COST: 'many' } })).rejects.toThrow(
      'SVC_BCRYPT_COST',
    );

    expect(await testDatabases()).toEqual(before);
  });
});

describe('seed.user', () => {
  it.each(['readonly', 'member', 'org_admin', 'sys_admin'] as const)(
    'logs a %s in, in one call',
    async (role) => {
      const user = await service.seed.user({ role });

      const { id, email, org_id: orgId } = user;
      expect((await user.latchkey.me()).user).toMatchObject({ id, email, role, org_id: orgId });
      expect(orgId === null).toBe(role !== 'org_admin');
    },
  );

  it('puts users who name the same organization into one, each with their role', async () => {
    const [admin, reader] = await Promise.all([
      service.seed.user({ role: 'org_admin', org: 'Umbrella' }),
      service.seed.user({ role: 'readonly', org: 'Umbrella' }),
    ]);
    const { data } = await admin.latchkey.listMembers({ org_id: admin.org_id ?? '' });

    expect(data.map(({ id, role }) => [id, role]).sort()).toEqual(
      [
        [admin.id, 'org_admin'],
        [reader.id, 'readonly'],
      ].sort(),
    );
    const org = await service.seed.org('Globex');
    expect((await service.seed.user({ org })).org_id).toBe(org.id);
  });

  it('adds an authenticator app, whose codes take the second step at once', async () => {
    const ada = await service.seed.user({ role: 'sys_admin', factor: 'totp' });
    expect(ada.recovery_codes).toHaveLength(10);

    await ada.latchkey.logout();
    await ada.logIn();

    expect((await ada.latchkey.me()).session.aal).toBe(2);
  });

  it('gives the state of a browser for Playwright', async () => {
    const ada = await service.seed.user();

    expect(ada.storageState()).toEqual({
      cookies: expect.arrayContaining([
        {
          name: 'session_id',
          value: expect.any(String),
          domain: 'localhost',
          path: '/',
          expires: expect.any(Number),
          httpOnly: true,
          secure: false,
          sameSite: 'Lax',
        },
      ]),
      origins: [],
    });
  });

  it('throws problems that the client of a front end knows', async () => {
    const ada = await service.seed.user();
    const problem = await ada.latchkey.listUsers().catch((error) => error);

    expect(isProblem(problem, 'InsufficientRole')).toBe(true);
  });
});

describe('mailbox', () => {
  it('has the mails that were asked for, with their token', async () => {
    const ada = await service.seed.user();
    await createLatchkey(service.url).forgotPassword({ email: ada.email });

    expect(await service.mailbox.last(ada.email)).toMatchObject({ to: ada.email, kind: 'password-reset' });
    const password = 'another horse battery staple';
    await createLatchkey(service.url).resetPassword({
      token: await service.mailbox.token(ada.email),
      new_password: password,
    });
    await expect(service.mailbox.last('nobody@example.com')).rejects.toThrow(
      'There is no mail to nobody@example.com.',
    );
  });
});

describe('latchkey-client/testing', () => {
  it('signs somebody up at a service that runs in dev', async () => {
    const ada = await signUp(service.url, { org_name: 'Initech' });
    const { user } = await ada.client().me();

    expect(user).toMatchObject({ email: ada.email, role: 'org_admin' });
  });

  it('forgets a cookie that the service takes back, and sends none to others', async () => {
    const ada = await signUp(service.url);
    expect(ada.cookieHeader()).toContain('session_id=');
    await ada.client().logout();

    expect(ada.cookieHeader()).not.toContain('session_id=');
    expect(new TestBrowser(service.url).storageState().cookies).toEqual([]);
  });
});
