import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedInAs, PASSWORD } from '../support/accounts.js';
import { appOwner, loseKey, SECOND_FACTOR } from '../support/authenticator-app.js';
import { runCommand } from '../support/command-line.js';
import { IdentityProvider, loginThrough } from '../support/identity-provider.js';
import { Held } from '../support/lock-step.js';
import { fileOf, type Result } from '../support/ndjson.js';
import { foundOrg, place } from '../support/orgs.js';
import { optionsOf, PasskeyOwner } from '../support/passkeys.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const SEVERAL = { SVC_ORGS_PER_USER: '5' };

/** All that an account and an organization are, without what the import decides itself. */
const STATE = {
  users: `SELECT id, external_id, email, email_verified_at IS NOT NULL AS verified, name, locale, time_zone, own_role,
                 password_hash, disabled_at IS NOT NULL AS disabled, created_at FROM users ORDER BY id`,
  organizations: `SELECT id, external_id, name, locale, created_at, second_factor_required_at IS NOT NULL AS factor,
                         policy_idle_minutes, policy_age_minutes, policy_login_methods, policy_networks,
                         policy_acting
                    FROM organizations ORDER BY id`,
  memberships: `SELECT user_id, org_id, role, joined_at, suspended_at IS NOT NULL AS suspended
                  FROM memberships ORDER BY user_id, org_id`,
  identities: 'SELECT user_id, provider, subject, email FROM identities ORDER BY provider, subject',
  passkeys: `SELECT user_id, rp_id, credential_id, public_key, sign_count, transports, backup_eligible, backed_up, name,
                    created_at, last_used_at FROM passkeys ORDER BY credential_id`,
  recovery_codes: 'SELECT user_id, code_hash FROM recovery_codes ORDER BY user_id, code_hash',
  totp_factors: 'SELECT user_id FROM totp_factors ORDER BY user_id',
};

async function stateOf({ database }: TestApp): Promise<Record<string, unknown[]>> {
  const state: Record<string, unknown[]> = {};
  for (const [table, sql] of Object.entries(STATE)) state[table] = await database.rows(sql);
  return state;
}

const objects = (lines: string[]): Result[] =>
  lines.filter((line) => line !== '').map((line) => JSON.parse(line));

describe('export, and import into an empty service', () => {
  let provider: IdentityProvider;
  let from: TestApp;
  let to: TestApp;
  beforeAll(async () => {
    provider = await IdentityProvider.start();
    const variables = { ...provider.variables, ...SEVERAL };
    from = await TestApp.start(variables);
    to = await TestApp.start({
      ...variables,
      SVC_JWT_SECRET_KEY: 'another secret of the service that they move to',
    });
  });
  afterAll(async () => {
    await from.close();
    await to.close();
    await provider.stop();
  });

  it('moves every login, factor, membership and rule', async () => {
    const root = await loggedInAs(from, 'sys_admin');
    const [first, second] = [await foundOrg(from, 'Analytical'), await foundOrg(from, 'Différence 🧮')];
    const app = await appOwner(from);
    const passkey = await PasskeyOwner.in(from);
    const account = { sub: 'at-the-provider', email: freshAddress(), email_verified: true, name: 'Ada' };
    await loginThrough(provider, from.browser(), account);
    await place(from.database, app.email, first.id, 'org_admin');
    await from.database.rows(
      `INSERT INTO memberships (user_id, org_id, role, joined_by) VALUES ($1, $2, 'member', 'invitation')`,
      [app.id, second.id],
    );
    await root.patch(`/users/${first.member.id}`, { disabled: true });
    await second.admin.patch(`/orgs/${second.id}/members/${second.member.id}`, { suspended: true });
    await from.database.rows(
      `UPDATE organizations SET policy_age_minutes = 60, policy_login_methods = '{password,passkey}', external_id = 'org-2',
              policy_acting = false
        WHERE id = $1`,
      [second.id],
    );
    await from.database.rows(`UPDATE users SET external_id = 'auth0|1', locale = 'de' WHERE id = $1`, [
      second.member.id,
    ]);

    const exported = await runCommand(
      from,
      ['export', '--with-password-hashes', '--with-second-factors'],
      SEVERAL,
    );
    const file = await fileOf(exported.lines);
    const imported = await runCommand(to, ['import', file], SEVERAL);

    expect([exported.code, imported.code]).toEqual([0, 0]);
    expect(objects(imported.lines).map(({ outcome }) => outcome)).toEqual(
      Array(exported.lines.length).fill('created'),
    );
    const expected = await stateOf(from);
    // Only create-admin appoints a SYSTEM_ADMIN.
    for (const user of expected.users as Result[]) if (user.id === root.id) user.own_role = 'member';
    expect(await stateOf(to)).toEqual(expected);
    expect(exported.output).toContain('1 are SYSTEM_ADMINs');

    const login = (email: string) => to.browser().post('/auth/login', { email, password: PASSWORD });
    expect((await login(root.email)).status).toBe(200);
    expect((await login(first.member.email)).body.code).toBe('AccountDisabled');
    expect((await login(second.member.email)).body.organizations).toMatchObject([
      { id: second.id, role: 'member', suspended: true },
    ]);
    for (const proof of [{ totp: app.app.code() }, { recovery_code: app.recoveryCodes[3] }]) {
      const browser = to.browser();
      expect((await browser.post('/auth/login', { email: app.email, password: PASSWORD })).status).toBe(202);
      const { status, body } = await browser.post(SECOND_FACTOR, proof);
      expect([status, body.organizations.map((org: Result) => [org.name, org.role])]).toEqual([
        200,
        [
          ['Analytical', 'org_admin'],
          ['Différence 🧮', 'member'],
        ],
      ]);
    }
    const browser = to.browser();
    const options = await optionsOf(browser.post('/auth/passkey/options'));
    const withPasskey = await browser.post('/auth/passkey/login', {
      credential: passkey.authenticator.get(options),
    });
    expect([withPasskey.status, withPasskey.body.user.id]).toEqual([200, passkey.id]);
    const there = to.browser();
    await loginThrough(provider, there, account);
    expect((await there.get('/users/me')).body.user.email).toBe(account.email);

    const again = await runCommand(
      to,
      ['export', '--with-password-hashes', '--with-second-factors'],
      SEVERAL,
    );
    const withoutUse = (lines: string[]) =>
      objects(lines).map(({ passkeys, recovery_code_hashes, ...line }) => line);
    expect(withoutUse(again.lines)).toEqual(withoutUse(exported.lines));
    const second_ = await runCommand(to, ['import', file], SEVERAL);
    expect(objects(second_.lines).every(({ outcome }) => outcome === 'exists')).toBe(true);
  });

  it('exports no secret that is not asked for by name, and records that the accounts left', async () => {
    const owner = await appOwner(from);
    const [bare, hashes] = [
      await runCommand(from, ['export'], SEVERAL),
      await runCommand(from, ['export', '--with-password-hashes'], SEVERAL),
    ];

    const lineOf = (lines: string[]) => objects(lines).find(({ email }) => email === owner.email);
    expect(Object.keys(lineOf(bare.lines))).toEqual(['id', 'email', 'email_verified', 'created_at']);
    expect(Object.keys(lineOf(hashes.lines))).toEqual([
      'id',
      'email',
      'email_verified',
      'created_at',
      'password_hash',
    ]);
    for (const { output } of [bare, hashes])
      expect(output).toMatch(/\d have an authenticator app, which the file leaves out/);
    expect(
      await from.database.rows(
        `SELECT details FROM audit_events WHERE type = 'list.exported' ORDER BY id DESC LIMIT 2`,
      ),
    ).toEqual(
      [true, false].map((password_hashes) => ({
        details: { list: 'users', command: 'export', password_hashes, second_factors: false },
      })),
    );
  });

  it('names the apps whose secrets no key opens, and ends with 1', async () => {
    const owner = await appOwner(from);
    await loseKey(from, owner.id);
    const { code, output, lines } = await runCommand(from, ['export', '--with-second-factors'], SEVERAL);
    await from.database.rows('DELETE FROM totp_factors WHERE user_id = $1', [owner.id]);
    expect(code).toBe(1);
    expect(output).toContain(`1 secrets of authenticator apps are encrypted with none of the keys`);
    expect(output).toContain(owner.email);
    expect(objects(lines).find(({ email }) => email === owner.email)).not.toHaveProperty('totp_secret');
  });
});

describe('an import', () => {
  const LINES = 4_000;
  /** The lock of the import whose turn it is. */
  const TURN = 5_234_005;

  let database: TestDatabase;
  let file: string;
  beforeAll(async () => {
    file = await fileOf(
      Array.from({ length: LINES }, (_, n) => ({
        email: `person-${n}@example.com`,
        external_id: `person-${n}`,
        organizations: [{ external_id: `org-${n % 700}`, name: `Organization ${n % 700}` }],
        email_verified: true,
        identities: [{ issuer: 'https://accounts.google.com', subject: `${n}` }],
        totp_secret: 'JBSWY3DPEHPK3PXP',
      })),
    );
  });

  const start = () => {
    const child = spawn(process.execPath, ['dist/cli.js', 'import', file], {
      env: { PATH: process.env.PATH, SVC_ENVIRONMENT: 'dev', SVC_DATABASE_URL: database.url },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const run = { child, output: '', end: once(child, 'close') };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      run.output += text;
    });
    return run;
  };

  const resultsOf = ({ output }: { output: string }) =>
    objects(output.slice(0, output.lastIndexOf('\n')).split('\n'));

  /** How many users there are, and how many of them have all that their line says. */
  const whole = async () => {
    const [counted] = await database.rows(
      `SELECT count(*)::int AS users,
              count(*) FILTER (WHERE EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id)
                                 AND EXISTS (SELECT FROM identities i WHERE i.user_id = u.id)
                                 AND EXISTS (SELECT FROM totp_factors t WHERE t.user_id = u.id)
                                 AND 2 = (SELECT count(*) FROM audit_events e WHERE e.user_id = u.id))::int AS whole,
              (SELECT count(*)::int FROM organizations) AS orgs FROM users u`,
    );
    return counted;
  };

  it('that is killed leaves whole accounts, and goes on from there when it is called again', async () => {
    database = await TestDatabase.create();
    const killed = start();
    await until(() => killed.output.split('\n').length > 500);
    killed.child.kill('SIGKILL');
    await killed.end;
    const halfway = await whole();
    const told = resultsOf(killed);

    const again = start();
    const [code] = await again.end;

    expect(halfway.users).toBeGreaterThanOrEqual(told.length);
    expect(halfway.users).toBeLessThan(LINES);
    expect(halfway.whole).toBe(halfway.users);
    expect(code).toBe(0);
    const outcomes = resultsOf(again).map(({ outcome }) => outcome);
    expect(outcomes).toEqual([
      ...Array(halfway.users).fill('exists'),
      ...Array(LINES - halfway.users).fill('created'),
    ]);
    expect(
      resultsOf(again)
        .slice(0, told.length)
        .map(({ id }) => id),
    ).toEqual(told.map(({ id }) => id));
    expect(await whole()).toEqual({ users: LINES, whole: LINES, orgs: 700 });
    await database.close();
  });

  it('beside another one of the same file makes each account once', async () => {
    database = await TestDatabase.create();
    const turn = await Held.by(database, `SELECT pg_advisory_xact_lock(${TURN})`, []);
    const runs = [start(), start()];
    const asking = `SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE '%pg_try_advisory_xact_lock(${TURN})%'
                       AND datname = current_database() AND application_name = 'latchkey'`;
    await until(async () => (await database.value(asking)) === 2);
    await turn.release();
    const codes = await Promise.all(runs.map(({ end }) => end));

    expect(codes.map(([code]) => code)).toEqual([0, 0]);
    const [one = [], other = []] = runs.map(resultsOf);
    const pairs = one.map((result, index) => [result.outcome, other[index].outcome].sort().join());
    expect(new Set(pairs)).toEqual(new Set(['created,exists']));
    expect(one.map(({ id }) => id)).toEqual(other.map(({ id }) => id));
    expect(await whole()).toEqual({ users: LINES, whole: LINES, orgs: 700 });
    await database.close();
  });
});
