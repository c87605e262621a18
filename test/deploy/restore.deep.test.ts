import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { migrate } from '../../src/start/migrate.js';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { type Run, runCommand, runProgram } from '../support/command-line.js';
import { WAITING_MAIL } from '../support/mails.js';
import { foundOrg, invite } from '../support/orgs.js';
import { OtherPostgres } from '../support/other-postgres.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { describeWhere } from '../support/where.js';

/** Programs of one version, so that pg_dump is no older than the server; the embedded PostgreSQL has no pg_dump. */
const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore'];
const programs = programFolders().find((folder) => PROGRAMS.every((name) => existsSync(join(folder, name))));

describeWhere(programs !== undefined)('a database that pg_restore has restored', () => {
  let server: OtherPostgres;
  let original: TestDatabase;
  let restored: TestDatabase;
  let app: TestApp;
  let withoutConsent: Run;
  let ended: Run;

  /** What was valid when the backup was made. */
  let session: Browser & { email: string };
  let signup: Browser;
  let tokens: { reset: string; invitation: string; signup: string };
  let waiting: string;

  beforeAll(async () => {
    server = await OtherPostgres.start(programs ?? '');
    original = await emptyDatabase('original');
    restored = await emptyDatabase('restored');
    await migrate(parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_DATABASE_URL: original.url }));
    await leaveWhatIsValid();
    await leaveMoreSessionsThanAStatementEnds();

    const folder = await mkdtemp(join(tmpdir(), 'latchkey-dump-'));
    const dump = join(folder, 'latchkey.dump');
    run('pg_dump', '--format', 'custom', '--file', dump, original.url);
    run('pg_restore', '--no-owner', '--dbname', restored.url, dump);
    await rm(folder, { recursive: true });

    withoutConsent = await afterRestore();
    ended = await afterRestore('--yes');
    app = await TestApp.start({}, { database: restored });
    for (const browser of [session, signup]) Object.assign(browser, { app: app.nest });
  });
  afterAll(async () => {
    await app.close();
    await original.close();
    await server.stop();
  });

  it('is changed only when the operator means it', () => {
    expect(withoutConsent.code).toBe(1);
    expect(withoutConsent.output).toContain('add --yes');
    expect(ended.code).toBe(0);
    for (const what of [
      'sessions',
      'links',
      'pending signups',
      'invitations',
      'waiting mails',
      'waiting deliveries',
    ])
      expect(ended.output).toMatch(new RegExp(`^[1-9]\\d* ${what} `, 'm'));
  });

  it('is changed in statements of some thousand rows, none of which PostgreSQL cuts off', () => {
    expect(ended.output).toMatch(/^20000 sessions ended, and more to come$/m);
    expect(ended.output).toMatch(/^20\d{3} sessions ended$/m);
  });

  it('has no session of before', async () => {
    expect((await session.get('/users/me')).status).toBe(401);
  });

  it('has no link of before', async () => {
    const { reset, invitation, signup: token } = tokens;
    for (const answer of [
      await app.browser().post('/password/reset', { token: reset, new_password: 'another long pass phrase' }),
      await app.browser().post('/invitations/accept', { token: invitation, password: PASSWORD }),
      await signup.post('/auth/verify-email', { token }),
    ])
      expect([answer.status, answer.body.code]).toEqual([400, 'InvalidToken']);
  });

  it('sends no mail that waited', async () => {
    expect(await app.mailbox.to(waiting)).toEqual([]);
  });

  it('keeps the accounts with their passwords, and an audit log without a gap', async () => {
    expect((await loggedIn(app, session.email)).jar.size).toBeGreaterThan(0);
    expect(await runCommand(app, ['audit', 'verify'])).toMatchObject({ code: 0 });
  });

  /** A person is logged in, three links are in mailboxes, and a mail waits. */
  async function leaveWhatIsValid(): Promise<void> {
    const before = await TestApp.start({}, { database: original });
    session = await loggedIn(before);
    await before.browser().post('/password/forgot', { email: session.email });
    const { id, admin } = await foundOrg(before);
    signup = before.browser();
    const email = freshAddress();
    await signup.post('/auth/signup', { email, password: PASSWORD });
    tokens = {
      reset: await before.mailbox.token(session.email),
      invitation: await invite(before, admin, id, freshAddress()),
      signup: await before.mailbox.token(email),
    };
    waiting = await verified(before);
    await before.nest.close();

    const mute = await TestApp.start(WAITING_MAIL, { database: original });
    await mute.browser().post('/password/forgot', { email: waiting });
    await until(() =>
      original.value('SELECT EXISTS (SELECT FROM outbox_mails WHERE attempts > 0 AND finished_at IS NULL)'),
    );
    await mute.nest.close();
    await original.rows(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint) VALUES (gen_random_uuid(), gen_random_uuid(), 'product')`,
    );
  }

  function leaveMoreSessionsThanAStatementEnds(): Promise<unknown> {
    return original.rows(
      `INSERT INTO sessions (id, user_id, token_hash, auth_method, expires_at)
       SELECT gen_random_uuid(), u.id, uuid_send(gen_random_uuid()), 'password', now() + interval '1 day'
         FROM users u, generate_series(1, 20000) WHERE u.email = $1`,
      [session.email],
    );
  }

  async function emptyDatabase(name: string): Promise<TestDatabase> {
    const administrative = TestDatabase.at(server.url);
    await administrative.rows(`CREATE DATABASE ${name}`);
    await administrative.close();
    return TestDatabase.at(Object.assign(new URL(server.url), { pathname: `/${name}` }).href);
  }

  function afterRestore(...options: string[]): Promise<Run> {
    return runProgram('cli', ['after-restore', ...options], {
      SVC_ENVIRONMENT: 'dev',
      SVC_DATABASE_URL: restored.url,
    });
  }
});

function run(program: string, ...words: string[]): void {
  execFileSync(join(programs ?? '', program), words, { stdio: 'pipe' });
}

/** Those of the PATH, and where Debian puts the versions of PostgreSQL. */
function programFolders(): string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : [];
  return [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
}
