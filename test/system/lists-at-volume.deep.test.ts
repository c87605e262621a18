import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type Logger } from 'typeorm';
import { ListedUsersRepository } from '../../src/accounts/listed-users.repository.js';
import { UserOrder, type UserSort } from '../../src/accounts/user-order.js';
import { DeliveryLedgerRepository } from '../../src/events/delivery-ledger.repository.js';
import { loggedInAs } from '../support/accounts.js';
import type { Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

/** The part of a million users and ten million events that is made; 1 by hand. */
const SCALE = Number(process.env.LATCHKEY_LIST_SCALE ?? 0.05);
const USERS = 1_000_000 * SCALE;
const ORGS = 10_000 * SCALE;
const EVENTS = 10_000_000 * SCALE;
const MAILS = 1_000_000 * SCALE;
const CUSTOMERS = 100_000 * SCALE;
const DAYS = 400;

const MAKING_MS = 60_000 + 1_500_000 * SCALE;

/** Rows that a list may read and leave out, at any volume: some pages. */
const MAX_LEFT_OUT = 2_000;

/** Rows of a table that may be read one after another: a search, or the count of a list, stops after so many. */
const FEW_ROWS = 5_500;

/** Pages of 8 kB that a list may touch. They say what it costs, on a busy machine too. */
const MAX_PAGES = 2_000;

/** The same of a search or a replay, which look at some thousands of rows in their order. */
const MAX_PAGES_OF_A_SEARCH = 20_000;

/** Rows of a file that are read at a time, and the pages of 8 kB that may take. */
const PART = 1_000;
const MAX_PAGES_OF_A_PART = 20_000;

/** The tables whose rows no list may read one after another. */
const LARGE = ['users', 'memberships', 'sessions', 'outbox_mails', 'billing_customers', 'audit_events'];

/** An id like those that are made at a time, with a number in place of chance. */
const idAt = (at: string, n: string) =>
  `(lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex(${n}), 15, '0'))::uuid`;

/** When the n-th of so many was made, the last one a day ago. */
const ageOf = (n: string, of: number) =>
  `(date_trunc('milliseconds', now()) - interval '1 day' - (${of} - ${n}) * (interval '${DAYS} days' / ${of}))`;

/** The first organization has a tenth of all users, the oldest; rare are admins, disabled users and dead letters. */
const VOLUME = [
  `INSERT INTO organizations (id, name)
   SELECT ${idAt(ageOf('n', ORGS), 'n')}, 'Organization ' || n FROM generate_series(1, ${ORGS}) AS n`,
  `INSERT INTO users (id, email, email_verified_at, disabled_at)
   SELECT ${idAt(ageOf('n', USERS), 'n')}, md5(n::text) || '@example.com', now(), CASE WHEN n % 5000 = 1 THEN now() END
     FROM generate_series(1, ${USERS}) AS n`,
  `INSERT INTO memberships (user_id, org_id, role, joined_by)
   SELECT id, CASE WHEN n <= ${USERS / 10} THEN (SELECT min(id::text)::uuid FROM organizations)
                   ELSE (SELECT array_agg(id) FROM organizations)[1 + n % ${ORGS}] END,
          CASE WHEN n % 10000 = 0 THEN 'org_admin' ELSE 'member' END, 'invitation'
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM users) u`,
  `INSERT INTO last_logins (user_id, logged_in_at)
   SELECT id, now() - random() * interval '90 days' FROM users WHERE id::text !~ '[05]$'`,
  `INSERT INTO sessions (id, user_id, token_hash, auth_method, expires_at)
   SELECT id, id, sha256(id::text::bytea), 'password', now() + interval '1 day' FROM users`,
  `INSERT INTO outbox_mails (id, kind, recipient, subject, created_at, finished_at, outcome)
   SELECT ${idAt(ageOf('n', MAILS), 'n')}, 'verification', md5((n % ${USERS / 2})::text) || '@example.com', 'Some',
          now(), now(), CASE WHEN n % 5000 = 0 THEN 'dead' ELSE 'sent' END
     FROM generate_series(1, ${MAILS}) AS n`,
  `INSERT INTO billing_customers (id, user_id, stripe_customer_id, subscription_id, status, read_at)
   SELECT u.id, u.id, 'cus_' || u.id, 'sub_' || u.id, CASE WHEN row_number() OVER () % 1000 = 0 THEN 'past_due' ELSE 'active' END, now()
     FROM (SELECT id FROM users ORDER BY id LIMIT ${CUSTOMERS}) u`,
];

/**
 * One user did a twentieth of all there is; the rarest type was last seen at the beginning, and one that is a tenth of all
 * events in the first tenth of the time. They stand in the table in the order of their times, as they come.
 */
const EVENTS_AT_VOLUME = `INSERT INTO audit_events (id, type, actor_id, user_id, org_id, chain_id, chain_position, chain_hash, created_at)
   SELECT ${idAt(ageOf('n', EVENTS), 'n')},
          CASE WHEN n <= 20 THEN 'org.deleted' WHEN n <= ${EVENTS / 10} THEN 'role.changed' WHEN n % 3 = 0 THEN 'login.failed' ELSE 'login.succeeded' END,
          u.id, u.id, u.org_id, '00000000-0000-0000-0000-000000000000', n, '', ${ageOf('n', EVENTS)}
     FROM generate_series(1, ${EVENTS}) AS n
          JOIN LATERAL (SELECT CASE WHEN n % 20 = 0 THEN 1 ELSE 1 + (n * 7919::bigint) % ${USERS} END AS number) w ON true
          JOIN (SELECT row_number() OVER (ORDER BY id) AS number, id, org_id FROM users JOIN memberships ON user_id = id) u USING (number)
    ORDER BY n`;

interface Statement {
  sql: string;
  parameters: unknown[];
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Loops': number;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

let app: TestApp;
let admin: Member;
const statements: Statement[] = [];
const ids: Record<string, string> = {};

beforeAll(async () => {
  app = await TestApp.start({
    SVC_STRIPE_SECRET_KEY: 'sk_test_never_presented',
    SVC_STRIPE_WEBHOOK_SECRET: 'whsec_never_presented',
  });
  for (const sql of VOLUME) await app.database.rows(sql);
  // Otherwise the join of users and events would have a plan of chance.
  await app.database.rows('ANALYZE users');
  await withoutIndexes('audit_events', () => app.database.rows(EVENTS_AT_VOLUME));
  await app.database.rows('VACUUM ANALYZE');
  admin = await loggedInAs(app, 'sys_admin');
  ids.bigOrg = await app.database.value('SELECT min(id::text)::uuid FROM organizations');
  ids.smallOrg = await app.database.value('SELECT max(id::text)::uuid FROM organizations');
  ids.busy = await app.database.value('SELECT id FROM users ORDER BY id LIMIT 1');
  ids.quiet = await app.database.value('SELECT id FROM users ORDER BY id OFFSET 9 LIMIT 1');
  ids.email = await app.database.value('SELECT email FROM users WHERE id = $1', [ids.quiet]);
  const logger = {
    logQuery: (sql: string, parameters: unknown[] = []) => statements.push({ sql, parameters }),
  };
  Object.assign(app.nest.get(DataSource), { logger: logger as unknown as Logger });
}, MAKING_MS);
afterAll(() => app.close());

/** Does something to a table that has only its key meanwhile, which takes a fraction of the time. */
async function withoutIndexes(table: string, work: () => Promise<unknown>): Promise<void> {
  const indexes = await app.database.rows(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = $1 AND indexname <> $1 || '_pkey'`,
    [table],
  );
  for (const { name } of indexes) await app.database.rows(`DROP INDEX ${name}`);
  await work();
  for (const { definition } of indexes) await app.database.rows(definition);
}

/** The tables that a plan reads row after row, except where it stops after a few thousand. */
function scannedIn({ Plans = [], ...node }: PlanNode): string[] {
  const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  const isScan = node['Node Type'].endsWith('Seq Scan') && read > FEW_ROWS;
  const own = isScan ? [node['Relation Name'] ?? ''] : [];
  return [...own, ...Plans.flatMap(scannedIn)];
}

/** How many rows of large tables a plan reads, only to leave them out. */
function leftOutBy({ Plans = [], ...node }: PlanNode): number {
  const isLarge = LARGE.includes(node['Relation Name'] ?? '');
  const own = isLarge ? (node['Rows Removed by Filter'] ?? 0) * node['Actual Loops'] : 0;
  return Plans.map(leftOutBy).reduce((sum, each) => sum + each, own);
}

/** How many rows of a table a plan reads. */
function readOf(table: string, { Plans = [], ...node }: PlanNode): number {
  const own = node['Relation Name'] === table ? node['Actual Rows'] * node['Actual Loops'] : 0;
  return Plans.map((plan) => readOf(table, plan)).reduce((sum, each) => sum + each, own);
}

/** What PostgreSQL does for an answer, and how long that takes. */
async function explained(path: string) {
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? ''));
  let rows: unknown;
  const found = await explainedWork(async () => {
    const { status, body } = await admin.get(url);
    expect({ status, url }).toEqual({ status: 200, url });
    rows = body.data?.length;
  });
  return { ...found, rows };
}

/** What PostgreSQL does for the statements that some work reads with, and how long that takes; not for the mails' worker. */
async function explainedWork(work: () => Promise<unknown>) {
  statements.length = 0;
  await work();
  const own = statements.filter(
    ({ sql }) => /^\s*SELECT/.test(sql) && !/pg_|outbox.*FOR UPDATE|mail_outages/.test(sql),
  );

  let ms = 0;
  let pages = 0;
  let leftOut = 0;
  let mails = 0;
  const scanned: string[] = [];
  for (const { sql, parameters } of [...own]) {
    const [explanation] = await app.database.value(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
      parameters,
    );
    ms += explanation['Planning Time'] + explanation['Execution Time'];
    pages += explanation.Plan['Shared Hit Blocks'] + explanation.Plan['Shared Read Blocks'];
    leftOut += leftOutBy(explanation.Plan);
    mails += readOf('outbox_mails', explanation.Plan);
    scanned.push(...scannedIn(explanation.Plan));
  }
  return { ms, pages, leftOut, mails, scanned, statements: own.length };
}

const WEEK = () => `since=${new Date(Date.now() - 7 * 86_400_000).toISOString()}`;

describe(`of ${USERS} users, ${ORGS} organizations and ${EVENTS} events, the list`, () => {
  it.each([
    '/users',
    '/users?email={email}',
    '/users?email=a',
    '/users?email=abc',
    '/users?sort=name',
    '/users?sort=-email',
    '/users?sort=role',
    '/users?sort=-last_login_at',
    '/users?role=sys_admin',
    '/users?role=org_admin',
    '/users?role=member&disabled=true',
    '/users?disabled=true',
    '/users?disabled=false',
    '/users?org_id={bigOrg}',
    '/users?org_id={smallOrg}&role=org_admin',
    '/users?ids={busy},{quiet}',
    '/users/{busy}/sessions',
    '/orgs',
    '/orgs?name=ization%207',
    '/orgs?name=nothing',
    '/orgs/{bigOrg}/members',
    '/orgs/{bigOrg}/members?role=org_admin',
    '/orgs/{bigOrg}/members?email={email}',
    '/orgs/{smallOrg}/members?email=a',
    '/mails',
    '/mails?state=dead',
    '/mails?state=expired',
    '/mails?state=waiting',
    '/mails?state=sent',
    '/mails?to={email}',
    '/mails?to={email}&state=dead',
    '/subscription/customers',
    '/subscription/customers?status=past_due',
    '/subscription/customers?status=unpaid',
    '/subscription/customers?user_id={busy}',
    '/audit-events?scope=all',
    '/audit-events?scope=all&type=login.*',
    '/audit-events?scope=all&type=login.failed',
    '/audit-events?scope=all&type=org.deleted',
    '/audit-events?scope=all&type=org.*',
    '/audit-events?scope=all&type=account.deleted',
    '/audit-events?scope=all&user_id={busy}',
    '/audit-events?scope=all&user_id={busy}&type=org.*',
    '/audit-events?scope=all&user_id={quiet}',
    '/audit-events?scope=all&org_id={bigOrg}',
    '/audit-events?scope=all&org_id={bigOrg}&type=org.*',
    '/audit-events?scope=all&org_id={smallOrg}&type=login.*',
    '/audit-events?scope=all&until=2000-01-01T00:00:00Z',
    '/audit-events/days?user_id={busy}',
    '/audit-events/days?user_id={quiet}',
    '/audit-events?scope=all&WEEK',
    '/audit-events?scope=all&WEEK&type=login.*',
    '/audit-events?scope=all&WEEK&type=org.*',
    '/audit-events?scope=all&WEEK&user_id={busy}',
    '/audit-events?scope=all&WEEK&org_id={bigOrg}',
  ])('%s is read along an index, in few pages', async (path) => {
    const found = await explained(path.replace('WEEK', WEEK()));

    if (process.env.LATCHKEY_LIST_SCALE !== undefined)
      console.log(`${path}: ${found.ms.toFixed(1)} ms, ${found.pages} pages, ${found.rows} rows`);
    expect(found.statements).toBeGreaterThan(0);
    expect(found.scanned.filter((table) => LARGE.includes(table))).toEqual([]);
    expect(found.leftOut).toBeLessThan(MAX_LEFT_OUT);
    expect(found.pages).toBeLessThan(MAX_PAGES);
  });
});

describe(`of ${USERS} users, the search`, () => {
  it.each([
    '/users?search={email}',
    '/users?search=abc',
    '/users?search=example.com',
    '/users?search=zz',
    '/users?search=abc&sort=name',
    '/users?search=abc&sort=-last_login_at',
    '/orgs/{bigOrg}/members?search=abc',
    '/orgs/{smallOrg}/members?search=abc',
    '/mails?search={email}',
    '/mails?search=abcd&state=dead',
    '/audit-events?scope=all&search={email}',
  ])('%s is read along an index, in few pages', async (path) => {
    const found = await explained(path);

    if (process.env.LATCHKEY_LIST_SCALE !== undefined)
      console.log(`${path}: ${found.ms.toFixed(1)} ms, ${found.pages} pages, ${found.rows} rows`);
    expect(found.scanned.filter((table) => LARGE.includes(table))).toEqual([]);
    expect(found.pages).toBeLessThan(MAX_PAGES_OF_A_SEARCH);
  });
});

describe(`of ${USERS} users, a file`, () => {
  it.each<[UserSort, string | undefined]>([
    ['-last_login_at', undefined],
    ['last_login_at', 'example.com'],
    ['name', 'example.com'],
    ['name', 'abc'],
  ])('in the order of %s, with the search %j, begins no part from the beginning', async (sort, search) => {
    const order = new UserOrder(sort);
    const read = await app.nest
      .get(ListedUsersRepository)
      .readerOf({ ...(search !== undefined && { search }) }, order);
    let last: { key: string; id: string } | null = null;
    const pages: number[] = [];
    let parts = 0;
    for (let isWhole = false; !isWhole; parts++) {
      let rows: { sortKey: string; id: string }[] = [];
      const found = await explainedWork(async () => {
        rows = await read(last, PART);
      });
      const end = rows.at(-1);
      if (end) last = { key: end.sortKey, id: end.id };
      isWhole = rows.length < PART;
      pages.push(found.pages);
    }
    if (process.env.LATCHKEY_LIST_SCALE !== undefined)
      console.log(`${parts} parts, ${pages.slice(0, 3).join(', ')} … ${pages.slice(-3).join(', ')} pages`);
    expect(Math.max(...pages)).toBeLessThan(MAX_PAGES_OF_A_PART);
    expect(parts).toBeGreaterThan(search === 'abc' ? 0 : USERS / PART - 1);
  });
});

describe(`of ${EVENTS} events, a replay of webhooks`, () => {
  it.each([
    ['org.deleted', DAYS / 2],
    ['role.changed', DAYS / 2],
    ['org.deleted role.changed member.joined', DAYS / 2],
    ['login.failed role.changed', 7],
  ])(
    'is read along an index, in few pages, also where a type is long over: %s, of %i days',
    async (types, days) => {
      const since = new Date(Date.now() - days * 86_400_000);
      const found = await explainedWork(() =>
        app.nest.get(DeliveryLedgerRepository).replay('product', since, types.split(' ')),
      );

      expect(found.scanned).toEqual([]);
      expect(found.leftOut).toBeLessThan(MAX_LEFT_OUT);
      expect(found.pages).toBeLessThan(MAX_PAGES_OF_A_SEARCH);
    },
  );
});

// Every screen of a system admin asks for it.
describe(`of ${MAILS} mails, GET /system`, () => {
  it('counts at most 10,000 of a state, in few pages', async () => {
    const found = await explained('/system');
    const { sent, dead } = (await admin.get('/system')).body.system.mail.states;

    if (process.env.LATCHKEY_LIST_SCALE !== undefined)
      console.log(`/system: ${found.ms.toFixed(1)} ms, ${found.pages} pages`);
    expect(sent).toBe(10_000);
    expect(dead).toBe(MAILS / 5_000);
    expect(found.scanned).not.toContain('outbox_mails');
    expect(found.mails).toBeLessThan(10_000 + MAX_LEFT_OUT);
    expect(found.pages).toBeLessThan(MAX_PAGES);
  });
});
