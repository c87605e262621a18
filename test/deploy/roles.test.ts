import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { onServer } from '../support/test-database.js';

/** Roles belong to the server, which other runs may use at the same time. */
const name = `roles_${randomBytes(4).toString('hex')}`;
const PASSWORD = 'a password of these tests';
const ROLES = [`${name}_owner`, name, `${name}_stranger`];

const [onTheServer = '', withinTheDatabase = ''] = readFileSync('docs/deploy/roles.sql', 'utf8')
  .replace(/^--.*$/gm, '')
  .replaceAll('latchkey', name)
  .split(`\\connect ${name}`);

beforeAll(async () => {
  for (const statement of onTheServer.split(';').filter((each) => each.trim())) await onServer(statement);
  await asRole(null, (client) => client.query(withinTheDatabase));
  await onServer(`CREATE ROLE ${name}_stranger LOGIN`);
  for (const role of ROLES) await onServer(`ALTER ROLE ${role} PASSWORD '${PASSWORD}'`);
});
afterAll(async () => {
  await onServer(`DROP DATABASE ${name}`);
  for (const role of ROLES) await onServer(`DROP ROLE ${role}`);
});

/** Does something in the database as a role, or as the superuser. */
async function asRole<T>(role: string | null, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(process.env.LATCHKEY_TEST_TEMPLATE ?? '');
  url.pathname = `/${name}`;
  if (role !== null) Object.assign(url, { username: role, password: PASSWORD });
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return work(client).finally(() => client.end());
}

describe('roles.sql', () => {
  it('lets no other role of the server into the database, where it could hold the locks of the service', async () => {
    const lock = asRole(`${name}_stranger`, (client) => client.query('SELECT pg_advisory_lock(5234001)'));

    await expect(lock).rejects.toMatchObject({ code: '42501', detail: expect.stringContaining('CONNECT') });
  });

  it('lets the owner change the schema, and the role that serves use it without making tables of any kind', async () => {
    await asRole(`${name}_owner`, (client) => client.query('CREATE TABLE notes (id int)'));

    await asRole(name, async (client) => {
      await client.query('INSERT INTO notes VALUES (1)');
      for (const kind of ['TABLE', 'TEMPORARY TABLE'])
        await expect(client.query(`CREATE ${kind} mine (id int)`)).rejects.toMatchObject({ code: '42501' });
    });
  });
});
