import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { migrate } from '../../src/start/migrate.js';
import { loggedIn } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { onServer, TestDatabase } from '../support/test-database.js';

const FOREIGN = {
  default_transaction_isolation: 'repeatable read',
  TimeZone: 'America/New_York',
  DateStyle: 'German, DMY',
  standard_conforming_strings: 'off',
  statement_timeout: '1min',
};

let app: TestApp;
beforeAll(async () => {
  const database = await TestDatabase.create();
  for (const [name, value] of Object.entries(FOREIGN))
    await onServer(`ALTER DATABASE ${database.name} SET ${name} = '${value}'`);
  app = await TestApp.start({}, { database });
});
afterAll(() => app.close());

describe('a database with other defaults than the service assumes', () => {
  it('serves requests that change the same row at once', async () => {
    const browser = await loggedIn(app);
    const headers = { cookie: `session_id=${browser.jar.get('session_id')}` };
    const rename = (_: unknown, index: number) =>
      app.nest.inject({ method: 'PATCH', url: '/users/me', headers, payload: { name: `Ada ${index}` } });

    const answers = await Promise.all(Array.from({ length: 30 }, rename));

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(200));
  });

  it('has instants read as they are', async () => {
    const { session } = (await (await loggedIn(app)).get('/users/me')).body;
    const age = Date.now() - Date.parse(session.created_at);

    expect(Math.abs(age)).toBeLessThan(600_000);
  });

  it('is migrated, index by index', async () => {
    const { database } = app;
    await database.rows(`DELETE FROM migrations WHERE name LIKE 'IndexMemberships%'`);

    const variables = { SVC_ENVIRONMENT: 'dev', SVC_DATABASE_URL: database.ownerUrl };
    expect(await migrate(parseEnvironment(variables))).toEqual(['IndexMemberships1795204800261']);
  });
});
