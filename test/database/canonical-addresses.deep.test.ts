import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Migrations } from '../../src/database/migrations.js';
import { migratorOptions } from '../../src/start/migrate.js';
import { runProgram } from '../support/command-line.js';
import { TestDatabase } from '../support/test-database.js';

const MIGRATION = 'CanonicaliseAddresses1795204800070';

let database: TestDatabase;
let source: DataSource;
beforeAll(async () => {
  database = await TestDatabase.create();
  source = await new DataSource(
    await migratorOptions({ variable: 'SVC_DATABASE_OWNER_URL', url: database.ownerUrl }, new Migrations()),
  ).initialize();
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

const isApplied = () => database.value('SELECT EXISTS (SELECT FROM migrations WHERE name = $1)', [MIGRATION]);

const addUser = (email: string) =>
  database.value(
    `INSERT INTO users (id, email, email_verified_at, role) VALUES (gen_random_uuid(), $1, now(), 'member')
     RETURNING id`,
    [email],
  );

it('a migration brings stored addresses to the present form, except where another account has that form', async () => {
  while (await isApplied()) await source.undoLastMigration();
  const alone = await addUser('zoe\u0301@b\u00fccher.example');
  const [first, second] = [await addUser('jose\u0301@example.com'), await addUser('jos\u00e9@example.com')];
  const plain = await addUser('ada@example.com');
  await database.rows(
    `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at)
     SELECT gen_random_uuid(), id, 'reset-password', sha256(id::text::bytea), email, now() + interval '1 hour' FROM users`,
  );

  await source.runMigrations();

  const stored = await database.rows(
    'SELECT u.id, u.email, t.sent_to FROM users u JOIN one_time_tokens t ON t.user_id = u.id',
  );
  const expected = [
    [alone, 'zo\u00e9@xn--bcher-kva.example'],
    [first, 'jose\u0301@example.com'],
    [second, 'jos\u00e9@example.com'],
    [plain, 'ada@example.com'],
  ];
  expect(new Set(stored)).toEqual(new Set(expected.map(([id, email]) => ({ id, email, sent_to: email }))));

  const { lines } = await runProgram('cli', ['doctor', '--json'], {
    SVC_ENVIRONMENT: 'dev',
    SVC_DATABASE_URL: database.url,
  });
  const findings = JSON.parse(lines.at(-1) ?? '').filter(
    ({ code }: { code: string }) => code === 'ADDRESSES_COLLIDE',
  );
  expect(findings).toMatchObject([{ severity: 'warning', text: expect.stringContaining(first) }]);
  expect(findings[0].text).not.toContain(second);
});
