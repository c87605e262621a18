import { signedUp } from '../support/accounts.js';
import type { TestApp } from '../support/test-app.js';
import type { TestDatabase } from '../support/test-database.js';
import {
  addressOf,
  HASH_OF_NO_PASSWORD,
  INVITED,
  idOf,
  invitationOf,
  LINKS,
  OURS,
  PEOPLE,
  STRANGERS,
  sessionOf,
  THEIR_NAME,
  THEIRS,
  tokenHashOf,
} from './people.js';

const DAY_MS = 86_400_000;

/** What is written down beside every request, also a refused one, and what only says that somebody was here. */
const NOTES = ['audit_events', 'audit_chains', 'rate_limits', 'migrations'];

/** What anybody may bring about for an address: mails with links. */
const MAILED = ['one_time_tokens', 'outbox_mails', 'link_requests'];

/** The rows of the people in a database, which can be compared and restored. */
export class World {
  private constructor(
    private readonly database: TestDatabase,
    private readonly tables: string[],
  ) {}

  static async create(app: TestApp): Promise<World> {
    await insertPeople(app);
    const rows = await app.database.rows(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL ($1)
        ORDER BY tablename = 'organizations' DESC, tablename = 'users' DESC`,
      [NOTES],
    );
    const tables = rows.map(({ name }) => name);
    const copies = tables.map((table) => `CREATE TABLE kept.${table} AS TABLE ${table}`);
    await app.database.rows(['CREATE SCHEMA kept', ...copies].join(';'));
    return new World(app.database, tables);
  }

  /** Puts all rows back as they were in the beginning; with so few this is quicker than TRUNCATE. */
  async restore(): Promise<void> {
    const deletes = this.tables.toReversed().map((table) => `DELETE FROM ${table}`);
    const inserts = this.tables.map((table) => `INSERT INTO ${table} SELECT * FROM kept.${table}`);
    await this.database.rows([...deletes, ...inserts].join(';'));
  }

  /** What all rows come to, by table. */
  everything(): Promise<unknown> {
    return this.digests(this.tables, '');
  }

  /** What the rows about the other organization and its people come to, by table. */
  theirs(): Promise<unknown> {
    const ids = [THEIRS, ...Object.keys(STRANGERS).map(idOf)].join('|');
    return this.digests(
      this.tables.filter((table) => !MAILED.includes(table)),
      `WHERE t::text ~ '${ids}'`,
    );
  }

  private digests(tables: string[], where: string): Promise<unknown> {
    const digest = (table: string) =>
      `SELECT '${table}' AS table, md5(string_agg(row::text, '' ORDER BY row))
         FROM (SELECT to_jsonb(t) - 'last_seen_at' AS row FROM ${table} t ${where}) rows`;
    return this.database.rows(tables.map(digest).join(' UNION ALL '));
  }
}

/** Puts the people into an empty database. */
async function insertPeople(app: TestApp): Promise<void> {
  const now = new Date();
  const later = new Date(now.getTime() + DAY_MS);
  const password_hash = await storedPassword(app);
  const insert = (table: string, rows: object[]) =>
    app.database.rows(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
      JSON.stringify(rows.map((row) => ({ created_at: now, ...row }))),
    ]);

  await insert('organizations', [
    { id: OURS, name: 'Initech' },
    { id: THEIRS, name: THEIR_NAME },
  ]);
  await insert(
    'users',
    Object.entries(PEOPLE).map(([name, { role, orgId: org_id }]) => ({
      id: idOf(name),
      email: addressOf(name),
      role,
      org_id,
      ...(name in STRANGERS
        ? { name: THEIR_NAME, password_hash: HASH_OF_NO_PASSWORD }
        : { name: 'Ada', password_hash }),
      password_changed_at: now,
      email_verified_at: name === 'unverified' ? null : now,
      disabled_at: name === 'disabled' ? now : null,
    })),
  );
  await insert(
    'sessions',
    Object.keys(PEOPLE).map((name) => ({
      id: idOf(sessionOf(name)),
      user_id: idOf(name),
      token_hash: stored(sessionOf(name)),
      auth_method: 'password',
      last_seen_at: now,
      expires_at: later,
    })),
  );
  await insert(
    'one_time_tokens',
    Object.entries(LINKS).map(([purpose, name]) => ({
      id: idOf(purpose),
      user_id: idOf(name),
      purpose,
      token_hash: stored(purpose),
      sent_to: addressOf(name),
      expires_at: later,
    })),
  );
  await insert(
    'invitations',
    Object.entries(INVITED).map(([name, org_id]) => ({
      id: idOf(invitationOf(name)),
      org_id,
      email: addressOf(name),
      role: 'member',
      token_hash: stored(invitationOf(name)),
      expires_at: later,
    })),
  );
  await insert('identities', [
    { id: idOf('identity'), user_id: idOf('member'), provider: 'https://idp.example', subject: 'ada' },
  ]);
}

/** The stored form of the password that all but the strangers have. */
async function storedPassword(app: TestApp): Promise<string> {
  await app.mailbox.to(await signedUp(app));
  const hash = await app.database.value('SELECT password_hash FROM users');
  await app.database.rows('TRUNCATE users, outbox_mails CASCADE');
  return hash;
}

/** A token's hash as PostgreSQL reads bytes. */
const stored = (name: string) => `\\x${tokenHashOf(name).toString('hex')}`;
