import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from 'uuidv7';
import { loggedInAs } from '../support/accounts.js';
import { foundOrg, type Member } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

const DAY_MS = 86_400_000;

let app: TestApp;
let admin: Member;
beforeAll(async () => {
  app = await TestApp.start();
  admin = await loggedInAs(app, 'sys_admin');
});
afterAll(() => app.close());

/** Records events so many days ago, which a user did, or which were done to them. */
const record = (column: 'actor_id' | 'user_id' | 'both', userId: string, daysAgo: number, events = 1) =>
  app.database.rows(
    `INSERT INTO audit_events (id, type, actor_id, user_id, chain_id, created_at)
     SELECT (lpad(to_hex(at + n), 12, '0') || '7000' || '8' || substr(md5(random()::text), 1, 15))::uuid, 'logout',
            CASE WHEN $1 <> 'user_id' THEN $2::uuid END, CASE WHEN $1 <> 'actor_id' THEN $2::uuid END, $2::uuid,
            to_timestamp(at / 1000.0)
       FROM generate_series(1, $4::int) AS n, (SELECT $3::bigint AS at) AS asked`,
    [column, userId, new Date().setUTCHours(12, 0, 0, 0) - daysAgo * DAY_MS, events],
  );
const days = async (userId: string): Promise<{ day: string; events: number }[]> =>
  (await admin.get(`/audit-events/days?user_id=${userId}`)).body.data;

describe('GET /audit-events/days', () => {
  it('counts by day what a user did and what was done to them, each event once', async () => {
    const userId = uuidv7();
    await record('actor_id', userId, 1, 2);
    await record('user_id', userId, 1);
    await record('both', userId, 3, 4);
    await record('both', uuidv7(), 3);
    await record('both', userId, 30);

    const counted = await days(userId);

    expect(counted).toHaveLength(30);
    expect(counted.at(-1)?.day).toBe(new Date().toISOString().slice(0, 10));
    expect(counted.filter(({ events }) => events > 0)).toEqual([
      { day: new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10), events: 4 },
      { day: new Date(Date.now() - DAY_MS).toISOString().slice(0, 10), events: 3 },
    ]);
  });

  it('stops counting a day at 100', async () => {
    const userId = uuidv7();
    await record('actor_id', userId, 2, 80);
    await record('user_id', userId, 2, 80);

    expect((await days(userId)).map(({ events }) => events)).toContain(100);
  });

  it('is for SYSTEM_ADMINs alone, and asks whose events to count', async () => {
    const { admin: orgAdmin, member } = await foundOrg(app);

    expect((await orgAdmin.get(`/audit-events/days?user_id=${member.id}`)).body.code).toBe(
      'InsufficientRole',
    );
    expect(await admin.get('/audit-events/days')).toMatchObject({
      status: 400,
      body: { code: 'ValidationFailed' },
    });
  });
});
