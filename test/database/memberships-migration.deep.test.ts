import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Migrations } from '../../src/database/migrations.js';
import { migratorOptions } from '../../src/start/migrate.js';
import { TestDatabase } from '../support/test-database.js';

const MIGRATION = 'CreateMemberships1795204800260';

/** A hundred thousand users in a thousand organizations, some outside of them, of each role that the version before had. */
const FORMER = [
  `INSERT INTO organizations (id, name, created_at)
   SELECT gen_random_uuid(), 'Organization ' || n, now() - n * interval '1 minute' FROM generate_series(1, 1000) n`,
  `INSERT INTO users (id, email, role, own_role, org_id, created_at)
   SELECT gen_random_uuid(), n || '@example.com', role,
          CASE WHEN role = 'readonly' AND n % 5 = 0 THEN 'readonly' ELSE 'member' END,
          CASE WHEN n % 5 > 0 THEN (SELECT array_agg(id) FROM organizations)[1 + n % 1000] END,
          now() - n * interval '1 second'
     FROM (SELECT n, CASE WHEN n % 7919 = 0 THEN 'sys_admin' WHEN n % 11 = 0 THEN 'readonly'
                          WHEN n % 13 = 0 AND n % 5 > 0 THEN 'org_admin' ELSE 'member' END AS role
             FROM generate_series(1, 100000) n) people`,
];

const ROWS = 'SELECT id, email, role, own_role, org_id FROM users ORDER BY id';

let database: TestDatabase;
let source: DataSource;
let former: { id: string; role: string; own_role: string; org_id: string | null }[];
beforeAll(async () => {
  database = await TestDatabase.create();
  source = await new DataSource(
    await migratorOptions({ variable: 'SVC_DATABASE_OWNER_URL', url: database.ownerUrl }, new Migrations()),
  ).initialize();
  while (await isApplied()) await source.undoLastMigration();
  for (const sql of FORMER) await database.rows(sql);
  former = await database.rows(ROWS);
  await source.runMigrations();
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

const isApplied = () => database.value('SELECT EXISTS (SELECT FROM migrations WHERE name = $1)', [MIGRATION]);

it('a migration makes each user of an organization a member, with the role, and a SYSTEM_ADMIN its admin', async () => {
  const expected = former
    .filter(({ org_id }) => org_id !== null)
    .map(({ id, org_id, role }) => ({
      user_id: id,
      org_id,
      role: role === 'sys_admin' ? 'org_admin' : role,
    }));

  const members = await database.rows('SELECT user_id, org_id, role FROM memberships ORDER BY user_id');

  expect(members).toHaveLength(80_000);
  expect(members).toEqual(expected);
  expect(
    await database.rows(
      `SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = m.org_id
        WHERE m.joined_at <> greatest(u.created_at, o.created_at) OR m.joined_by <> 'migrated'`,
    ),
  ).toEqual([]);
});

it('it leaves a user the own role, and a SYSTEM_ADMIN theirs', async () => {
  const expected = former.map(({ id, role, own_role }) => ({
    id,
    own_role: role === 'sys_admin' ? role : own_role,
  }));

  expect(await database.rows('SELECT id, own_role FROM users ORDER BY id')).toEqual(expected);
});

it('is undone only while each user belongs to one organization at most, and then restores the rows', async () => {
  const { user_id } = (await database.rows('SELECT user_id FROM memberships LIMIT 1'))[0];
  await database.rows(
    `INSERT INTO memberships (user_id, org_id, role, joined_by)
     SELECT $1, id, 'member', 'invitation' FROM organizations
      WHERE id NOT IN (SELECT org_id FROM memberships WHERE user_id = $1) LIMIT 1`,
    [user_id],
  );
  const undo = async () => {
    while (await isApplied()) await source.undoLastMigration();
  };

  await expect(undo()).rejects.toThrow('1 users belong to several organizations');

  await database.rows(`DELETE FROM memberships WHERE user_id = $1 AND joined_by = 'invitation'`, [user_id]);
  await undo();
  expect(await database.rows(ROWS)).toEqual(former);
});
