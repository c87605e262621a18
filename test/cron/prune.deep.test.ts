import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import pg from 'pg';
import { loggedIn, signedUp, verified } from '../support/accounts.js';
import { linked } from '../support/audit.js';
import { Held } from '../support/lock-step.js';
import { later } from '../support/signups.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const SECRET = 'the secret of the scheduler and of the tests';

/** After which a run begins no other batch. */
const BUDGET_MS = 20_000;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_CRON_SECRET: SECRET, SVC_CRON_SESSION_RETENTION_DAYS: '3' });
});
afterAll(() => app.close());
beforeEach(() => app.database.rows('TRUNCATE sessions, one_time_tokens, used_states'));

const scheduler = (secret = SECRET) => app.browser({ authorization: `Bearer ${secret}` });
const count = (table: string) => app.database.value(`SELECT count(*)::int FROM ${table}`);

/** An account whose owner has a link to set a new password. */
async function withLink(): Promise<string> {
  const email = await verified(app);
  await app.browser().post('/password/forgot', { email });
  await app.mailbox.last(email);
  return email;
}

/** Adds sessions that expired some time ago, or (below zero) will expire. */
async function addSessions(number: number, expiredAgo: string): Promise<void> {
  const email = await withLink();
  await app.database.rows(
    `INSERT INTO sessions (id, user_id, token_hash, auth_method, expires_at)
     SELECT gen_random_uuid(), (SELECT id FROM users WHERE email = $1), sha256(random()::text::bytea), 'password',
            now() - $2::interval - random() * interval '1 hour'
       FROM generate_series(1, $3)`,
    [email, expiredAgo, number],
  );
}

describe('/cron', () => {
  it.each(['GET', 'POST'] as const)('prunes on %s and counts by table', async (method) => {
    await addSessions(3, '4 days');
    await addSessions(2, '2 days');
    await app.database.rows(`UPDATE one_time_tokens SET expires_at = now() - interval '1 second'`);
    await app.database.rows(
      `INSERT INTO used_states VALUES (gen_random_uuid(), now() - interval '1 second')`,
    );
    await withLink();

    const answer = await scheduler().send(method, '/cron');

    expect(answer).toMatchObject({
      status: 200,
      body: { pruned: { sessions: 3, one_time_tokens: 2, used_states: 1 }, skipped: false, complete: true },
    });
    expect(answer.body.duration_ms).toBeGreaterThanOrEqual(0);
    expect([await count('sessions'), await count('one_time_tokens')]).toEqual([2, 1]);
  });

  it('prunes the signups that were not completed in time, and no others', async () => {
    const [late, waiting] = [await signedUp(app), await signedUp(app)];
    await later(app, late, '24 hours 1 second');
    await later(app, waiting, '23 hours 59 minutes');

    expect((await scheduler().post('/cron')).body.pruned.signups).toBe(1);

    expect(await app.database.rows('SELECT email FROM signups')).toEqual([{ email: waiting }]);
  });

  it('only counts with ?dry_run=true', async () => {
    await addSessions(3, '4 days');

    const answer = await scheduler().post('/cron?dry_run=true');

    expect(answer.body.pruned).toMatchObject({ sessions: 3, one_time_tokens: 0 });
    expect(await count('sessions')).toBe(3);
    expect((await scheduler().post('/cron?dry_run=perhaps')).body.errors[0].field).toBe('dry_run');
  });

  it('refuses a HEAD with 405, with and without the secret, and prunes nothing', async () => {
    await addSessions(1, '4 days');

    for (const caller of [scheduler(), app.browser()])
      expect(await caller.send('HEAD', '/cron')).toMatchObject({
        status: 405,
        headers: { allow: 'GET, POST' },
      });
    expect(await count('sessions')).toBe(1);
  });

  it.each([
    ['without a secret', {}],
    ['with a wrong secret', { authorization: 'Bearer a wrong one' }],
    ['with the secret in another scheme', { authorization: `Basic ${SECRET}` }],
  ])('refuses a caller %s', async (_, headers) => {
    await addSessions(1, '4 days');

    for (const method of ['GET', 'POST'] as const)
      expect(await app.browser({}).send(method, '/cron', undefined, headers)).toMatchObject({
        status: 401,
        body: { code: 'Unauthenticated', detail: expect.stringContaining('Authorization: Bearer') },
      });
    expect(await count('sessions')).toBe(1);
  });

  it('does not exist where no secret is set', async () => {
    const closed = await TestApp.start({}, { database: app.database });
    const answer = await closed.browser({ authorization: `Bearer ${SECRET}` }).post('/cron');
    expect(answer).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    await closed.nest.close();
  });

  it('does the work in one of two runs at once, and answers the other with skipped', async () => {
    await addSessions(1, '4 days');
    const other = new pg.Client({ connectionString: app.database.ownerUrl });
    await other.connect();
    await other.query('BEGIN; SELECT pg_advisory_xact_lock(5234002)');

    const meanwhile = await scheduler().post('/cron');
    await other.end();
    const afterwards = await scheduler().post('/cron');

    expect(meanwhile).toMatchObject({ status: 200, body: { skipped: true, pruned: {} } });
    expect(afterwards).toMatchObject({ status: 200, body: { skipped: false, pruned: { sessions: 1 } } });
  });

  it('passes over a row that another transaction has locked, without waiting', async () => {
    await addSessions(2, '4 days');
    const holder = new pg.Client({ connectionString: app.database.ownerUrl });
    await holder.connect();
    await holder.query('BEGIN; SELECT 1 FROM sessions LIMIT 1 FOR UPDATE');

    const meanwhile = (await scheduler().post('/cron')).body;
    await holder.end();
    const afterwards = (await scheduler().post('/cron')).body;

    expect(meanwhile).toMatchObject({ pruned: { sessions: 1 }, complete: false });
    expect(afterwards).toMatchObject({ pruned: { sessions: 1 }, complete: true });
  });

  it('prunes the other tables when one fails, and then reports no success', async () => {
    // The logger of Nest is that of the process: it writes to the log of the service that started last.
    const latest = await TestApp.start({}, { database: app.database });
    await scheduler().post('/cron');
    const succeeded = () => app.database.value('SELECT succeeded_at FROM scheduled_jobs');
    const before = await succeeded();
    await addSessions(2, '4 days');
    await app.database.rows('ALTER TABLE one_time_tokens RENAME TO mislaid');

    const failed = await scheduler().post('/cron');
    await app.database.rows('ALTER TABLE mislaid RENAME TO one_time_tokens');

    expect(failed).toMatchObject({ status: 200, body: { pruned: { sessions: 2 }, complete: false } });
    expect(failed.body.pruned).not.toHaveProperty('one_time_tokens');
    await until(() => latest.log.join().includes('prune.failed'));
    await latest.nest.close();
    expect(await succeeded()).toEqual(before);
    expect((await scheduler().post('/cron')).body.complete).toBe(true);
    expect(await succeeded()).not.toEqual(before);
  });

  it('begins the chain of no further organization once its time is over', async () => {
    await app.database.rows(
      `WITH chains AS (
         INSERT INTO audit_chains (id, position, hash, pruned_hash)
         SELECT gen_random_uuid(), 1, '', '' FROM generate_series(1, 3) RETURNING id
       )
       INSERT INTO audit_events (id, type, created_at, chain_id, chain_position, chain_hash)
       SELECT gen_random_uuid(), 'org.renamed', now() - interval '500 days', id, 1, '' FROM chains`,
    );
    // The worker that links events would wait for a chain too.
    await linked(app);
    const held = await Held.by(app.database, 'SELECT 1 FROM audit_chains FOR UPDATE', []);

    const running = scheduler().post('/cron');
    await held.untilWaiting(1);
    const isPast = performance.now() + BUDGET_MS;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(isPast);
    await held.release();
    const { body } = await running;
    clock.mockRestore();
    const afterwards = (await scheduler().post('/cron')).body;

    expect(body).toMatchObject({ pruned: { audit_events: 1 }, complete: false });
    expect(afterwards).toMatchObject({ pruned: { audit_events: 2 }, complete: true });
  });

  it('removes 100,000 expired sessions of 200,000 and keeps every session it must keep', async () => {
    await addSessions(100_000, '4 days');
    await addSessions(50_000, '2 days');
    await addSessions(49_999, '-2 days');
    const browser = await loggedIn(app);
    const kept =
      'SELECT md5(string_agg(id::text, $1 ORDER BY id)) FROM sessions WHERE expires_at > now() - interval $2';
    const before = await app.database.value(kept.replace('$2', `'3 days'`), [',']);

    let pruned = 0;
    for (let isComplete = false; !isComplete; ) {
      const { body } = await scheduler().post('/cron');
      pruned += body.pruned.sessions;
      isComplete = body.complete;
      // It leaves the rest to the next run only when its time is over, as on a busy machine.
      if (!isComplete) expect(body.duration_ms).toBeGreaterThanOrEqual(BUDGET_MS);
    }

    expect(pruned).toBe(100_000);
    expect(await app.database.value(kept.replace('$2', `'3 days'`), [','])).toBe(before);
    expect(await count('sessions')).toBe(100_000);
    expect((await browser.get('/users/me')).status).toBe(200);
  });
});

describe('SVC_CRON_SCHEDULE', () => {
  it('makes the service prune by itself at its times', async () => {
    await addSessions(1, '4 days');
    const scheduled = await TestApp.start(
      { SVC_CRON_SCHEDULE: '* * * * * *', SVC_CRON_SESSION_RETENTION_DAYS: '3' },
      { database: app.database },
    );

    while ((await count('sessions')) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await scheduled.nest.close();
  });

  it('is off by default', async () => {
    const { cronSchedule } = app.environment;
    expect(cronSchedule).toBeUndefined();
    expect(app.nest.get(SchedulerRegistry).getCronJobs().size).toBe(0);
  });
});
