import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { AuthenticatorApp, SECOND_FACTOR } from '../support/authenticator-app.js';
import { HASHES, MADE_ELSEWHERE, OF_FIREBASE } from '../support/hashes.js';
import { imported } from '../support/ndjson.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { describeWhere } from '../support/where.js';

const run = promisify(execFile);
const has = (...programs: string[]) =>
  programs.every((program) => spawnSync('which', [program]).status === 0);

const BCRYPT = HASHES['bcrypt in C'] as { hash: string; password: string };
const PHP = HASHES['bcrypt in PHP'] as { hash: string; password: string };
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const GOOGLE = 'https://accounts.google.com';
const IMPORTED = 'imported long ago';
const [, , , FIREBASE_PARAMETERS = '', FIREBASE_SALT = '', FIREBASE_HASH = ''] = [
  '',
  ...OF_FIREBASE.split('$'),
];
const firebaseParameter = (name: string) =>
  FIREBASE_PARAMETERS.split(',')
    .find((each) => each.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';

/** MySQL is not among the programs of the tests. SQLite makes the same objects of the same statement. */
const MYSQL = `mysql() { sqlite3 app.db "\${@: -1}"; }`;

// A service for each, as two systems that number their users have the same ids.
let app: TestApp;
let old: TestDatabase;
beforeEach(async () => {
  app = await TestApp.start({ SVC_ORGS_PER_USER: '3' });
  old = await TestDatabase.create();
});
afterEach(async () => {
  await app.close();
  await old.close();
});

/** The line of docs/moving.md for another system. */
async function lineFor(system: string): Promise<string> {
  const [, section = ''] = (await readFile('docs/moving.md', 'utf8')).split(`## From ${system}\n`);
  const [, line = ''] = section.split('```sh\n');
  return line.split('```')[0] ?? '';
}

/** Runs that line beside some files, and imports what it makes. Returns the rows of the accounts, by address. */
async function move(system: string, files: Record<string, string> = {}, env: Record<string, string> = {}) {
  const cwd = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  if (files['app.sql']) await run('sqlite3', ['app.db', '.read app.sql'], { cwd });
  const script = `set -euo pipefail\n${MYSQL}\n${await lineFor(system)}`;
  await run('bash', ['-c', script], {
    cwd,
    env: { PATH: process.env.PATH, OLD_DATABASE_URL: old.ownerUrl, ...env },
  });

  const lines = (await readFile(join(cwd, 'users.ndjson'), 'utf8')).trimEnd().split('\n');
  const { results } = await imported(app, lines, { variables: { SVC_ORGS_PER_USER: '3' } });
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual(
    results.map(() => ['created', undefined]),
  );
  const rows = await app.database.rows(
    `SELECT u.*, (SELECT json_agg(json_build_object('issuer', provider, 'subject', subject)) FROM identities WHERE user_id = u.id) AS identities,
            (SELECT json_agg(json_build_object('org', o.external_id, 'name', o.name, 'role', m.role) ORDER BY o.name)
               FROM memberships m JOIN organizations o ON o.id = m.org_id WHERE m.user_id = u.id) AS orgs
       FROM users u WHERE id = ANY ($1)`,
    [results.map(({ id }) => id)],
  );
  return new Map(rows.map((row) => [row.email, row]));
}

const login = async (email: string, password: string) =>
  (await app.browser().post('/auth/login', { email, password })).status;

describeWhere(has('jq', 'psql', 'sqlite3'))('the lines that move users here (jq, psql, sqlite3)', () => {
  it('Auth0', async () => {
    const users = await move('Auth0', {
      'auth0.ndjson': [
        {
          user_id: 'auth0|5dea9f9c82dd7c0e76e4ec93',
          email: 'one@auth0.test',
          email_verified: true,
          name: 'One',
          created_at: '2019-12-06T18:36:12.412Z',
          identities: [
            {
              connection: 'Username-Password-Authentication',
              provider: 'auth0',
              user_id: '5dea9f9c82dd7c0e76e4ec93',
              isSocial: false,
            },
          ],
        },
        {
          user_id: 'google-oauth2|113456789',
          email: 'two@auth0.test',
          email_verified: true,
          name: 'Two',
          blocked: true,
          created_at: '2020-01-01T00:00:00.000Z',
          identities: [
            { connection: 'google-oauth2', provider: 'google-oauth2', user_id: '113456789', isSocial: true },
          ],
        },
        {
          user_id: 'auth0|euclid',
          email: 'three@auth0.test',
          email_verified: false,
          name: 'Three',
          created_at: '2020-01-01T00:00:00.000Z',
        },
      ]
        .map((user) => JSON.stringify(user))
        .join('\n'),
      'hashes.ndjson': [
        {
          _id: { $oid: '5dea9f9c82dd7c0e76e4ec93' },
          email: 'one@auth0.test',
          email_verified: true,
          passwordHash: BCRYPT.hash,
          password_set_date: { $date: '2019-12-06T18:36:12.412Z' },
          tenant: 'example',
          connection: 'Username-Password-Authentication',
          _tmp_is_unique: true,
        },
        {
          _id: { $oid: '5dea9f9c82dd7c0e76e4ec94' },
          email: 'three@auth0.test',
          passwordHash: BCRYPT.hash,
          alt_id: 'euclid',
        },
      ]
        .map((user) => JSON.stringify(user))
        .join('\n'),
    });
    expect(users.get('one@auth0.test')).toMatchObject({
      external_id: 'auth0|5dea9f9c82dd7c0e76e4ec93',
      name: 'One',
      identities: null,
    });
    expect(users.get('two@auth0.test')).toMatchObject({
      password_hash: null,
      disabled_at: expect.any(Date),
      identities: [{ issuer: GOOGLE, subject: '113456789' }],
    });
    expect(users.get('three@auth0.test')).toMatchObject({
      external_id: 'auth0|euclid',
      email_verified_at: null,
      password_hash: BCRYPT.hash,
    });
    expect(await login('one@auth0.test', BCRYPT.password)).toBe(200);
  });

  it('Clerk', async () => {
    const users = await move('Clerk', {
      'clerk.csv': [
        'id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher',
        `user_2gRua7,Ada,"King, Countess",,one@clerk.test,,one@clerk.test|other@clerk.test,,,,${SECRET},${BCRYPT.hash},bcrypt`,
        `user_2gRua8,,,,two_2@clerk.test,,twox2@clerk.test,two_2@clerk.test,,,${SECRET},,`,
        'user_2gRua9,No,Address,noone,,+15555550100,,,,,,,',
        '',
      ].join('\n'),
    });
    expect([...users.keys()].sort()).toEqual(['one@clerk.test', 'two_2@clerk.test']);
    expect(users.get('one@clerk.test')).toMatchObject({
      external_id: 'user_2gRua7',
      name: 'Ada King, Countess',
    });
    expect(users.get('two_2@clerk.test')).toMatchObject({
      name: null,
      email_verified_at: null,
      password_hash: null,
    });
    const browser = app.browser();
    const body = { email: 'one@clerk.test', password: BCRYPT.password };
    expect((await browser.post('/auth/login', body)).status).toBe(202);
    expect((await browser.post(SECOND_FACTOR, { totp: new AuthenticatorApp(SECRET).code() })).status).toBe(
      200,
    );
  });

  it('Supabase', async () => {
    const id = '4f1b2c3d-0000-4000-8000-00000000abcd';
    await old.rows('CREATE SCHEMA auth');
    await old.rows(
      `CREATE TABLE auth.users (id uuid PRIMARY KEY, email varchar, encrypted_password varchar, email_confirmed_at timestamptz,
         raw_user_meta_data jsonb, created_at timestamptz, banned_until timestamptz, deleted_at timestamptz)`,
    );
    await old.rows(
      'CREATE TABLE auth.identities (provider_id text, user_id uuid, identity_data jsonb, provider text)',
    );
    await old.rows(
      'CREATE TABLE auth.mfa_factors (id uuid, user_id uuid, factor_type text, status text, created_at timestamptz, secret text)',
    );
    await old.rows(
      `INSERT INTO auth.users VALUES
         ($1, 'one@supabase.test', $2, now(), '{"full_name": "One \\"1\\""}', '2021-02-03T04:05:06.789Z', NULL, NULL),
         (gen_random_uuid(), 'two@supabase.test', '', NULL, '{}', now(), now() + interval '1 day', NULL),
         (gen_random_uuid(), 'gone@supabase.test', '', NULL, '{}', now(), NULL, now())`,
      [id, BCRYPT.hash],
    );
    await old.rows(
      `INSERT INTO auth.identities VALUES ('1098', $1, '{}', 'google'), ($1::text, $1, '{}', 'email')`,
      [id],
    );
    const users = await move('Supabase');
    expect([...users.keys()].sort()).toEqual(['one@supabase.test', 'two@supabase.test']);
    expect(users.get('one@supabase.test')).toMatchObject({
      id,
      name: 'One "1"',
      created_at: new Date('2021-02-03T04:05:06.789Z'),
      identities: [{ issuer: GOOGLE, subject: '1098' }],
    });
    expect(users.get('two@supabase.test').disabled_at).not.toBeNull();
    expect(await login('one@supabase.test', BCRYPT.password)).toBe(200);
  });

  it('Firebase', async () => {
    const inUrls = (base64: string) => base64.replaceAll('/', '_').replaceAll('+', '-');
    const users = await move(
      'Firebase',
      {
        'firebase.json': JSON.stringify({
          users: [
            {
              localId: 'zQ1',
              email: 'one@firebase.test',
              emailVerified: true,
              passwordHash: inUrls(FIREBASE_HASH),
              salt: FIREBASE_SALT,
              displayName: 'One',
              lastSignedInAt: '1600000000000',
              createdAt: '1577836800123',
              providerUserInfo: [
                { providerId: 'google.com', rawId: '1097', email: 'one@firebase.test' },
                { providerId: 'password' },
              ],
            },
            {
              localId: 'zQ2',
              email: 'two@firebase.test',
              emailVerified: false,
              createdAt: '1577836800123',
              disabled: true,
              providerUserInfo: [],
            },
            { localId: 'zQ3', phoneNumber: '+15555550100', createdAt: '1577836800123' },
          ],
        }),
      },
      {
        BASE64_SIGNER_KEY: firebaseParameter('sk'),
        BASE64_SALT_SEPARATOR: firebaseParameter('ss'),
      },
    );
    expect([...users.keys()].sort()).toEqual(['one@firebase.test', 'two@firebase.test']);
    expect(users.get('one@firebase.test')).toMatchObject({
      external_id: 'zQ1',
      name: 'One',
      created_at: new Date('2020-01-01T00:00:00Z'),
      identities: [{ issuer: GOOGLE, subject: '1097' }],
    });
    expect(await login('one@firebase.test', 'user1password')).toBe(200);
  });

  it('Better Auth', async () => {
    // As its own migrations make them.
    for (const table of [
      `"user" (id text primary key, name text not null, email text not null, "emailVerified" boolean not null, "createdAt" timestamptz not null)`,
      `account (id text primary key, "accountId" text not null, "providerId" text not null, "userId" text not null, password text)`,
      'organization (id text primary key, name text not null, slug text not null)',
      `member (id text primary key, "organizationId" text not null, "userId" text not null, role text not null)`,
    ])
      await old.rows(`CREATE TABLE ${table}`);
    await old.rows(
      `INSERT INTO "user" VALUES ('u1', 'One', 'one@better.test', true, now()), ('u2', '', 'two@better.test', true, now()),
         ('u3', '', 'three@better.test', false, now())`,
    );
    await old.rows(
      `INSERT INTO account VALUES ('a1', 'u1', 'credential', 'u1', $1), ('a2', '1096', 'google', 'u2', NULL),
         ('a3', '1095', 'google', 'u3', NULL)`,
      [MADE_ELSEWHERE['Better Auth']],
    );
    await old.rows(`INSERT INTO organization VALUES ('o1', 'First', 'first'), ('o2', 'Second', 'second')`);
    await old.rows(
      `INSERT INTO member VALUES ('m1', 'o1', 'u1', 'owner'), ('m2', 'o2', 'u1', 'member'), ('m3', 'o1', 'u2', 'billing-admin'),
         ('m4', 'o1', 'u3', 'member,admin')`,
    );
    const users = await move('Better Auth');
    expect(users.get('one@better.test').orgs).toEqual([
      { org: 'o1', name: 'First', role: 'org_admin' },
      { org: 'o2', name: 'Second', role: 'member' },
    ]);
    expect(users.get('two@better.test')).toMatchObject({
      identities: [{ issuer: GOOGLE, subject: '1096' }],
      orgs: [{ org: 'o1', name: 'First', role: 'member' }],
    });
    // Nobody has proved that address, so that the identity of the person who signed up with it stays behind.
    expect(users.get('three@better.test')).toMatchObject({
      email_verified_at: null,
      identities: null,
      orgs: [{ org: 'o1', name: 'First', role: 'org_admin' }],
    });
    expect(await login('one@better.test', IMPORTED)).toBe(200);
  });

  it('Django', async () => {
    await old.rows(
      `CREATE TABLE auth_user (id integer PRIMARY KEY, password varchar(128), is_active boolean, first_name varchar(150),
         last_name varchar(150), email varchar(254), date_joined timestamptz)`,
    );
    const hashes = [
      MADE_ELSEWHERE.Django,
      `argon2${MADE_ELSEWHERE['argon2-cffi']}`,
      `bcrypt$${BCRYPT.hash}`,
      `bcrypt_sha256$${BCRYPT.hash}`,
      '!unusable',
    ];
    await old.rows(
      `INSERT INTO auth_user SELECT n, hash, n <> 5, 'Person', n::text, 'user' || n || '@django.test', now()
         FROM unnest($1::text[]) WITH ORDINALITY AS h (hash, n)`,
      [hashes],
    );
    const users = await move('Django');
    expect(await login('user1@django.test', IMPORTED)).toBe(403);
    await app.database.rows('UPDATE users SET email_verified_at = now()');
    expect(await login('user1@django.test', IMPORTED)).toBe(200);
    expect(await login('user2@django.test', IMPORTED)).toBe(200);
    expect(await login('user3@django.test', BCRYPT.password)).toBe(200);
    expect(users.get('user3@django.test').name).toBe('Person 3');
    expect(users.get('user4@django.test').password_hash).toBeNull();
    expect(users.get('user5@django.test')).toMatchObject({
      password_hash: null,
      disabled_at: expect.any(Date),
    });
  });

  it('Laravel', async () => {
    const users = await move('Laravel', {
      'app.sql': `CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, email TEXT, email_verified_at TEXT, password TEXT, created_at TEXT);
        INSERT INTO users VALUES (1, 'One', 'one@laravel.test', '2021-01-01 00:00:00', '${PHP.hash}', '2021-05-06 07:08:09.000000'),
                                 (2, 'Two', 'two@laravel.test', NULL, '${PHP.hash}', NULL);`,
    });
    expect(users.get('one@laravel.test')).toMatchObject({
      external_id: '1',
      created_at: new Date('2021-05-06T07:08:09Z'),
    });
    expect(users.get('two@laravel.test')).toMatchObject({ external_id: '2', email_verified_at: null });
    expect(await login('one@laravel.test', PHP.password)).toBe(200);
  });
});
