import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { uuidv7obj } from 'uuidv7';
import { loggedInAs } from '../support/accounts.js';
import type { Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const CRON_SECRET = 'the secret of the scheduler of 32 and more';
const DAY_MS = 86_400_000;

let app: TestApp;
let admin: Member;
beforeAll(async () => {
  app = await TestApp.start({ SVC_CRON_SECRET: CRON_SECRET });
  admin = await loggedInAs(app, 'sys_admin');
});
beforeEach(async () => {
  for (const table of ['daily_figures', 'active_users']) await app.database.rows(`TRUNCATE ${table}`);
});
afterAll(() => app.close());

const figures = async () => (await admin.get('/system/figures')).body.figures;
const runCron = () => app.browser({ authorization: `Bearer ${CRON_SECRET}` }).post('/cron');

const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Events of a type, as they would have been recorded so many days ago. */
async function happened(type: string, daysAgo: number, times: number): Promise<void> {
  const at = Date.parse(dayBefore(daysAgo)) + DAY_MS / 2;
  const ids = Array.from({ length: times }, () => idAt(at));
  await app.database.rows(
    `INSERT INTO audit_events (id, type, chain_id, details, created_at)
     SELECT id, $2, id, '{}', $3 FROM unnest($1::uuid[]) AS made (id)`,
    [ids, type, new Date(at)],
  );
}

function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7obj().toString().slice(13)}`;
}

describe('GET /system/figures', () => {
  it('counts new users, logins and failed logins on each of the last thirty days, today included', async () => {
    await happened('account.created', 3, 2);
    await happened('login.succeeded', 3, 5);
    await happened('login.failed', 29, 4);
    await happened('login.failed', 30, 4);
    const before = (await figures()).days.at(-1);
    await app.browser().post('/auth/login', { email: admin.email, password: 'not the password' });

    const { days } = await figures();
    expect(days.map(({ day }: { day: string }) => day)).toEqual(
      Array.from({ length: 30 }, (_, index) => dayBefore(29 - index)),
    );
    expect(days[26]).toEqual({ day: dayBefore(3), new_users: 2, logins: 5, failed_logins: 0 });
    expect(days[0]).toMatchObject({ failed_logins: 4 });
    expect(days[29].failed_logins).toBe(before.failed_logins + 1);
  });

  it('keeps what it counted of a day that is over, also once the events are pruned', async () => {
    await happened('login.succeeded', 10, 3);
    await figures();
    await app.database.rows(`DELETE FROM audit_events WHERE created_at < now() - interval '9 days'`);

    expect((await figures()).days[19]).toMatchObject({ logins: 3 });
    expect(await app.database.value('SELECT count(*)::int FROM daily_figures')).toBeGreaterThanOrEqual(28);
  });

  it('counts the users there are', async () => {
    const { users } = await figures();
    await loggedInAs(app, 'member');
    expect((await figures()).users).toBe(users + 1);
  });

  it('knows after a run of /cron how many users were active', async () => {
    expect((await figures()).active).toBeNull();
    const [lately, longAgo] = [await loggedInAs(app, 'member'), await loggedInAs(app, 'member')];
    const seen = 'UPDATE sessions SET last_seen_at = now() - $2::interval WHERE user_id = $1';
    await app.database.rows(seen, [lately.id, '6 days']);
    await app.database.rows(seen, [longAgo.id, '29 days']);
    await runCron();
    const { active } = await figures();

    await app.database.rows(seen, [lately.id, '8 days']);
    await app.database.rows(seen, [longAgo.id, '31 days']);
    expect(await runCron()).toMatchObject({ status: 200, body: { complete: true } });

    const later = (await figures()).active;
    expect(later.in_seven_days).toBe(active.in_seven_days - 1);
    expect(later.in_thirty_days).toBe(active.in_thirty_days - 1);
    expect(later.counted_at > active.counted_at).toBe(true);
  });

  it('holds no run of /cron up when it cannot be counted, and says so in the log', async () => {
    await app.database.rows('ALTER TABLE active_users RENAME TO elsewhere');
    const { body } = await runCron();
    await app.database.rows('ALTER TABLE elsewhere RENAME TO active_users');

    expect(body).toMatchObject({ skipped: false, complete: false });
    expect(app.log.join()).toContain('cron.task_failed');
  });
});
