import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Held } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';
import { scrape, TOKEN } from './scrape.js';

const CRON_SECRET = 'the secret of the scheduler and of the tests';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_CRON_SECRET: CRON_SECRET,
    SVC_CRON_LATE_AFTER_HOURS: '5',
    SVC_METRICS_TOKEN: TOKEN,
  });
});
afterAll(() => app.close());
afterEach(() => age('0 hours'));

const ready = () => app.browser().get('/health/ready');

/** What Prometheus reads of the causes that an operator must look after. */
async function degraded(service = app): Promise<string[]> {
  const series = [...(await scrape(service))].filter(([, value]) => value === 1);
  return series.flatMap(([name]) => /^latchkey_degraded\{cause="(\w+)"\}$/.exec(name)?.[1] ?? []);
}

/** Moves the last successful prune into the past. */
function age(time: string): Promise<unknown> {
  return app.database.rows('UPDATE scheduled_jobs SET succeeded_at = now() - $1::interval', [time]);
}

describe('GET /health/live', () => {
  it('answers 200 without the database', async () => {
    const answer = await app.database.whileDown(() => app.browser().get('/health/live'));
    expect(answer).toMatchObject({ status: 200, body: { status: 'live' } });
  });
});

describe('GET /health/ready', () => {
  it('answers 200 when requests can be served', async () => {
    const answer = await ready();
    expect([answer.status, answer.body]).toEqual([200, { status: 'ready' }]);
    expect(await degraded()).toEqual([]);
  });

  it('names the database when it is down, and no check that needs the database', async () => {
    await age('6 hours');

    const answer = await app.database.whileDown(ready);

    expect(answer).toMatchObject({ status: 503, body: { code: 'ServiceUnavailable', down: ['database'] } });
    expect((await ready()).status).toBe(200);
  });
});

describe('GET /health/ready, on migrations', () => {
  /** Makes the database look like that of another version of the service, during one request. */
  async function readyWith(change: string, undo: string) {
    await app.database.rows(change);
    try {
      return { ...(await ready()), degraded: await degraded() };
    } finally {
      await app.database.rows(undo);
    }
  }

  it('answers 503 when the database is older than the service', async () => {
    const answer = await readyWith(
      `UPDATE migrations SET name = 'x' || name WHERE name LIKE 'CreateSessions%'`,
      `UPDATE migrations SET name = substr(name, 2) WHERE name LIKE 'xCreateSessions%'`,
    );
    expect(answer).toMatchObject({ status: 503, body: { down: ['migrations'] } });
  });

  it('stays ready when the database is newer, as under the old replicas of a rolling update', async () => {
    const answer = await readyWith(
      `INSERT INTO migrations (timestamp, name) VALUES (1999999999999, 'AddWings1999999999999')`,
      `DELETE FROM migrations WHERE name = 'AddWings1999999999999'`,
    );
    expect(answer).toMatchObject({ status: 200, degraded: ['migrations'] });
    expect(answer.body).toEqual({ status: 'ready' });
  });

  it('answers 503 when the table of the migrations is missing', async () => {
    const answer = await readyWith(
      'ALTER TABLE migrations RENAME TO other',
      'ALTER TABLE other RENAME TO migrations',
    );
    expect(answer).toMatchObject({ status: 503, body: { down: ['migrations'] } });
  });
});

describe('the metrics latchkey_ready and latchkey_down', () => {
  const figures = async () =>
    Object.fromEntries([...(await scrape(app))].filter(([name]) => /^latchkey_(ready|down)/.test(name)));

  it('report what /health/ready answers, each cause from the start', async () => {
    expect(await figures()).toEqual({
      latchkey_ready: 1,
      'latchkey_down{cause="stopping"}': 0,
      'latchkey_down{cause="database"}': 0,
      'latchkey_down{cause="writes"}': 0,
      'latchkey_down{cause="migrations"}': 0,
    });
    expect(await app.database.whileDown(figures)).toEqual({
      latchkey_ready: 0,
      'latchkey_down{cause="stopping"}': 0,
      'latchkey_down{cause="database"}': 1,
      'latchkey_down{cause="writes"}': 0,
      'latchkey_down{cause="migrations"}': 0,
    });
  });
});

describe('the metric latchkey_degraded', () => {
  it('reports that no prune succeeded in time until one does, and the public learns nothing of it', async () => {
    await age('4 hours 59 minutes');
    expect(await degraded()).toEqual([]);
    await age('5 hours 1 minute');
    expect(await degraded()).toEqual(['cron']);
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready' } });

    await app.browser({ authorization: `Bearer ${CRON_SECRET}` }).post('/cron');

    expect(await degraded()).toEqual([]);
  });

  it('does not count a dry run as a prune', async () => {
    await age('6 hours');
    await app.browser({ authorization: `Bearer ${CRON_SECRET}` }).post('/cron?dry_run=true');
    expect(await degraded()).toEqual(['cron']);
  });

  it('gives a new installation the same time', async () => {
    const created = (time: string) =>
      app.database.rows('UPDATE scheduled_jobs SET succeeded_at = NULL, created_at = now() - $1::interval', [
        time,
      ]);

    await created('4 hours');
    expect(await degraded()).toEqual([]);
    await created('6 hours');
    expect(await degraded()).toEqual(['cron']);
  });

  it('reports within seconds a check that gets no answer, and the service stays ready meanwhile', async () => {
    const held = await Held.by(app.database, 'LOCK TABLE scheduled_jobs', []);
    const startedAt = performance.now();
    const causes = await degraded();
    const { status } = await ready();
    const seconds = (performance.now() - startedAt) / 1000;
    await held.release();

    expect({ causes, status }).toEqual({ causes: ['cron'], status: 200 });
    expect(seconds).toBeLessThan(8);
  });

  it('is absent while the database is down, since nothing is known then', async () => {
    const series = await app.database.whileDown(() => scrape(app));
    expect([...series.keys()].filter((name) => name.startsWith('latchkey_degraded'))).toEqual([]);
  });

  it.each([
    ['expects it with a schedule', { SVC_CRON_SCHEDULE: '0 3 1 1 *' }, ['cron']],
    ['expects nothing in dev where nothing would start it', {}, []],
    ['expects it in beta, also where nothing would start it', { SVC_ENVIRONMENT: 'beta' }, ['cron']],
  ])('%s', async (_, variables, causes) => {
    await age('30 hours');
    const other = await TestApp.start({ ...variables, SVC_METRICS_TOKEN: TOKEN }, { database: app.database });

    const found = await degraded(other);
    await other.nest.close();

    expect(found).toEqual(causes);
  });
});
