import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFirst } from '../../src/database/first-connection.js';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { runProgram } from '../support/command-line.js';
import { TestApp } from '../support/test-app.js';
import { onServer, TestDatabase } from '../support/test-database.js';
import { describeWhere } from '../support/where.js';
import { PgBouncer, passesPreparedStatements, pgBouncerVersion } from './pgbouncer.js';

const CRON_SECRET = 'the secret of the scheduler that the tests know';
const statements = passesPreparedStatements ? ['unnamed', 'prepared'] : ['unnamed'];

describeWhere(pgBouncerVersion !== null).each(statements)(
  `behind ${pgBouncerVersion ?? 'PgBouncer'} in transaction mode, statements %s`,
  (kind) => {
    const prepares = kind === 'prepared';
    let database: TestDatabase;
    let pooler: PgBouncer;
    let app: TestApp;
    let other: TestApp;
    beforeAll(async () => {
      database = await TestDatabase.create();
      pooler = await PgBouncer.start(database, { prepares });
      const variables = {
        SVC_DATABASE_URL: pooler.url,
        SVC_DATABASE_PREPARE: String(prepares),
        SVC_RATE_LIMITS: 'on',
        SVC_LIMIT_FORGOT_PER_NETWORK: '1/15m',
        SVC_CRON_SECRET: CRON_SECRET,
      };
      app = await TestApp.start(variables, { database });
      other = await TestApp.start(variables, { database });
    });
    afterAll(async () => {
      await other.nest.close();
      await app.close();
      await pooler.stop();
    });

    it('checks sessions on connections that PgBouncer hands round', async () => {
      const browser = await loggedIn(app);
      const elsewhere = other.browser();
      await elsewhere.post('/auth/login', { email: browser.email, password: PASSWORD });

      for (let round = 0; round < 20; round++)
        for (const each of [browser, elsewhere])
          expect((await each.get('/users/me')).body.user?.email).toBe(browser.email);
    });

    it('counts limits in the database', async () => {
      const forgot = (service: TestApp) =>
        service.browser().post('/password/forgot', { email: 'ada@example.com' });

      expect([(await forgot(app)).status, (await forgot(other)).status]).toEqual([202, 429]);
      expect(app.log.join()).not.toContain('limits.in_memory');
    });

    it('ends sessions for the very next request', async () => {
      const [browser, elsewhere] = [await loggedIn(app), other.browser()];
      await elsewhere.post('/auth/login', { email: browser.email, password: PASSWORD });

      expect((await elsewhere.delete('/sessions')).status).toBe(200);
      expect((await browser.get('/users/me')).status).toBe(401);
    });

    it('runs one prune at a time', async () => {
      const scheduler = app.browser({ authorization: `Bearer ${CRON_SECRET}` });

      const answers = await Promise.all(Array.from({ length: 4 }, () => scheduler.post('/cron')));

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(answers.filter(({ body }) => !body.skipped)).not.toEqual([]);
    });

    it('leaves no connection of its own in a transaction', async () => {
      const left = await database.rows(
        `SELECT state FROM pg_stat_activity WHERE datname = $1 AND state LIKE 'idle in transaction%'`,
        [database.name],
      );
      expect(left).toEqual([]);
    });
  },
);

describeWhere(pgBouncerVersion !== null)(`a start behind ${pgBouncerVersion ?? 'PgBouncer'}`, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await TestDatabase.create();
  });
  afterAll(() => database.close());

  /** How the start of the built service ends at PgBouncer: what it prints, and that no stack is in it. */
  async function start(url: string) {
    const { code, output } = await runProgram('main', [], {
      SVC_ENVIRONMENT: 'dev',
      SVC_DATABASE_URL: url,
      SVC_LOG_LEVEL: 'error',
    });
    expect(output).not.toMatch(/^ {4}at /m);
    expect(output).not.toContain(new URL(url).password);
    return { code, output };
  }

  it('names what the role lacks, as PgBouncer drops what a connection asks for, and is content once the role has it', async () => {
    await onServer(`ALTER DATABASE ${database.name} SET default_transaction_isolation = 'repeatable read'`);
    const before = await PgBouncer.start(database);
    const { code, output } = await start(before.url);
    await before.stop();

    expect(code).toBe(1);
    expect(output).toContain('POOLER_DROPS_SETTINGS');
    const commands = [...output.matchAll(/ALTER ROLE <role> (SET \S+ = '[^']+');/g)].map(([, set]) => set);
    expect(commands).toHaveLength(3);

    for (const set of commands) await onServer(`ALTER DATABASE ${database.name} ${set}`);
    const after = await PgBouncer.start(database);
    expect(await readFirst({ variable: 'SVC_DATABASE_URL', url: after.url }, async () => 'read')).toBe(
      'read',
    );
    await after.stop();
  });

  it('says how PgBouncer lets the time limits pass', async () => {
    const pooler = await PgBouncer.start(database, { ignores: '' });
    const { code, output } = await start(pooler.url);
    await pooler.stop();

    expect(code).toBe(1);
    expect(output).toContain('POOLER_REFUSES_SETTINGS');
    expect(output).toContain('ignore_startup_parameters = statement_timeout, lock_timeout');
  });

  it('names the database that PgBouncer does not find', async () => {
    const pooler = await PgBouncer.start(database);
    const { code, output } = await start(Object.assign(new URL(pooler.url), { pathname: '/nope' }).href);
    await pooler.stop();

    expect(code).toBe(1);
    expect(output).toContain('DATABASE_MISSING');
  });
});
