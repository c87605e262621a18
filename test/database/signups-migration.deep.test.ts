import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { DataSource } from 'typeorm';
import { uuidv7 } from 'uuidv7';
import { Migrations } from '../../src/database/migrations.js';
import { migratorOptions } from '../../src/start/migrate.js';
import { ACCOUNTS, freshAddress, PASSWORD } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

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
beforeEach(async () => {
  await goBack();
  await database.rows('TRUNCATE users, organizations, link_requests CASCADE');
});

const hasSignups = () => database.value(`SELECT to_regclass('signups') IS NOT NULL`);
const goOn = () => source.runMigrations();

/** Takes the schema back to the version before there were signups. */
async function goBack(): Promise<void> {
  while (await hasSignups()) await source.undoLastMigration();
}

/** A user of the version before, who has not verified the address unless a test says so. */
async function user(changes: Record<string, unknown> = {}): Promise<{ id: string; email: string }> {
  const row = {
    id: uuidv7(),
    email: freshAddress(),
    name: 'Ada',
    role: 'member',
    password_hash: await bcrypt.hash(PASSWORD, 4),
    password_changed_at: new Date(),
    created_at: new Date('2026-01-31T09:30:00Z'),
    ...changes,
  };
  // By name, so that columns of later versions get their defaults.
  const columns = Object.keys(row).join(', ');
  await database.rows(
    `INSERT INTO users (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::users, $1)`,
    [JSON.stringify(row)],
  );
  return row;
}

/** The token of a link to verify an address, as the version before mailed it. */
async function linkOf({ id, email }: { id: string; email: string }, state: string): Promise<string> {
  const token = uuidv7();
  await database.rows(
    `INSERT INTO one_time_tokens (id, user_id, purpose, token_hash, sent_to, expires_at, consumed_at)
     SELECT $1, $2, 'verify-email', $3, $4, ${state}`,
    [uuidv7(), id, createHash('sha256').update(token).digest(), email],
  );
  return token;
}

const LIVE = `now() + interval '1 hour', NULL::timestamptz`;

const org = (name: string) =>
  database.value('INSERT INTO organizations (id, name) VALUES ($1, $2) RETURNING id', [uuidv7(), name]);
const addressesIn = async (table: string) =>
  (await database.rows(`SELECT email FROM ${table} ORDER BY email`)).map(({ email }) => email);

describe('the migration of users who never verified their address', () => {
  it('turns them into signups, which their links and passwords complete', async () => {
    const founder = await user({ role: 'org_admin', org_id: await org('Analytical') });
    const token = await linkOf(founder, LIVE);
    const stale = await linkOf(founder, `now() - interval '1 hour', NULL::timestamptz`);
    const used = await linkOf(founder, `now() + interval '1 hour', now()`);
    await goOn();

    expect(await addressesIn('users')).toEqual([]);
    expect(await database.rows('SELECT 1 FROM organizations')).toEqual([]);
    const [signup] = await database.rows('SELECT * FROM signups');
    expect(signup).toMatchObject({ email: founder.email, name: 'Ada', org_name: 'Analytical' });
    expect([signup.password_mac, signup.browser_hash]).toEqual([null, null]);
    const hoursLeft = (signup.expires_at - Date.now()) / 3_600_000;
    expect(Math.round(hoursLeft)).toBe(24);

    const app = await TestApp.start({}, { database });
    const verify = (body: object) => app.browser().post('/auth/verify-email', body);
    for (const dead of [stale, used]) expect((await verify({ token: dead })).body.code).toBe('InvalidToken');
    expect((await verify({ token })).body.code).toBe('PasswordRequired');
    expect(await verify({ token, password: PASSWORD })).toMatchObject({
      status: 200,
      body: { user: { email: founder.email, name: 'Ada', role: 'org_admin' } },
    });
    expect(await database.rows('SELECT name FROM organizations')).toEqual([{ name: 'Analytical' }]);
    await app.nest.close();
  });

  it('does not change accounts that are more than a signup', async () => {
    const shared = await org('Shared');
    const sold = await org('Sold');
    const kept = [
      await user({ email_verified_at: new Date() }),
      await user({ role: 'sys_admin' }),
      await user({ password_hash: null, password_changed_at: null }),
      await user({ disabled_at: new Date() }),
      await user({ role: 'org_admin', org_id: shared }),
      await user({ org_id: shared, email_verified_at: new Date() }),
      await user({ role: 'org_admin', org_id: sold }),
    ];
    await database.rows('INSERT INTO billing_customers (id, org_id) VALUES ($1, $2)', [uuidv7(), sold]);
    const before = await database.rows('SELECT to_jsonb(u) AS row FROM users u ORDER BY id');

    await goOn();

    // Later migrations add columns, and move the organization to the memberships.
    const after = await database.rows(`SELECT to_jsonb(accounts) AS row FROM ${ACCOUNTS} ORDER BY id`);
    expect(after).toMatchObject(before);
    expect(before).toHaveLength(kept.length);
    expect(await database.rows('SELECT 1 FROM signups')).toEqual([]);
    expect(await database.rows('SELECT 1 FROM organizations')).toHaveLength(2);
  });

  it('keeps a link that a user asked for just before, and drops the other waiting mails of signups', async () => {
    const waiting = await user();
    const request = (purpose: string, email: string) =>
      database.rows('INSERT INTO link_requests (id, purpose, email) VALUES ($1, $2, $3)', [
        uuidv7(),
        purpose,
        email,
      ]);
    await request('verify-email', waiting.email);
    await request('verify-email', freshAddress());
    await request('sign-up-again', freshAddress());
    await request('reset-password', waiting.email);

    await goOn();

    const left = await database.rows('SELECT purpose, signup_id FROM link_requests ORDER BY id');
    expect(left).toEqual([
      { purpose: 'verify-email', signup_id: waiting.id },
      { purpose: 'reset-password', signup_id: null },
    ]);
  });

  it('can be undone: signups that wait end and users stay', async () => {
    await goOn();
    const email = freshAddress();
    await database.rows('INSERT INTO users (id, email, email_verified_at) VALUES ($1, $2, now())', [
      uuidv7(),
      email,
    ]);
    const insert = `INSERT INTO signups (id, email, password_hash, expires_at) VALUES ($1, $2, 'any', now() + interval '1 day')`;
    await database.rows(insert, [uuidv7(), freshAddress()]);
    await database.rows(
      `INSERT INTO link_requests (id, purpose, email, signup_id) VALUES ($1, 'sign-up', $2, $1)`,
      [uuidv7(), email],
    );

    await goBack();

    expect(await addressesIn('users')).toEqual([email]);
    expect(await database.rows('SELECT 1 FROM link_requests')).toEqual([]);
    await goOn();
  });
});
