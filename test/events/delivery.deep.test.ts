import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { scrape, TOKEN } from '../observability/scrape.js';
import { loggedIn } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { refuseOneNote } from '../support/refused-note.js';
import { TestApp } from '../support/test-app.js';
import { Gate, until } from '../support/until.js';
import {
  changeDeliveries,
  deliveriesRest,
  deliveryTimePasses,
  type Reaction,
  WebhookReceiver,
} from '../support/webhook-receiver.js';
import { webhooks } from '../support/webhooks.js';

const A_DAY = 24 * 3600;

let product: WebhookReceiver;
let crm: WebhookReceiver;
let variables: Record<string, string>;
let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  [product, crm] = [await WebhookReceiver.start(), await WebhookReceiver.start()];
  variables = {
    ...webhooks(
      { name: 'product', url: product.url, types: ['account.updated'] },
      { name: 'crm', url: crm.url, types: ['account.updated'] },
    ),
    SVC_WEBHOOK_TIMEOUT_SECONDS: '1',
    SVC_METRICS_TOKEN: TOKEN,
  };
  app = await TestApp.start(variables);
  browser = await loggedIn(app);
});
afterAll(async () => {
  await app.close();
  await Promise.all([product.close(), crm.close()]);
});
beforeEach(() => {
  for (const receiver of [product, crm]) {
    receiver.taken.length = 0;
    receiver.attempts.length = 0;
    receiver.written = 0;
  }
});
afterEach(async () => {
  for (const receiver of [product, crm]) receiver.react('accept');
  await deliveriesRest(app.database);
  await changeDeliveries(app.database, 'DELETE FROM webhook_outages; DELETE FROM webhook_deliveries');
});

/** Changes the user's name, and returns the id of the event. */
async function act(): Promise<string> {
  const { status } = await browser.patch('/users/me', { name: `Ada ${Math.random()}` });
  expect(status).toBe(200);
  return app.database.value(
    `SELECT id FROM audit_events WHERE type = 'account.updated' ORDER BY id DESC LIMIT 1`,
  );
}

async function acts(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await act());
  return ids;
}

const delivery = async (endpoint = 'product') =>
  (
    await app.database.rows('SELECT * FROM webhook_deliveries WHERE endpoint = $1 ORDER BY id DESC LIMIT 1', [
      endpoint,
    ])
  )[0];

const outcomes = (endpoint: string) =>
  app.database.rows(
    'SELECT outcome, count(*)::int FROM webhook_deliveries WHERE endpoint = $1 GROUP BY 1 ORDER BY 1',
    [endpoint],
  );

const degraded = async () => (await scrape(app)).get('latchkey_degraded{cause="webhooks"}');

const outages = () => app.database.rows('SELECT endpoint, is_refused FROM webhook_outages');

describe('an event', () => {
  it('is sent to each endpoint that wants it, under its own id', async () => {
    const id = await act();
    await deliveriesRest(app.database);

    expect([product.ids, crm.ids]).toEqual([[id], [id]]);
    expect(await delivery()).toMatchObject({ event_id: id, outcome: 'sent', attempts: 1, last_error: null });
  });

  const MISFORTUNES: [string, Reaction][] = [
    ['answers 500', { status: 500 }],
    ['answers 400', { status: 400 }],
    ['redirects', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
  ];

  it.each(MISFORTUNES)('is tried again when the endpoint %s, and holds up no other', async (_, reaction) => {
    product.reactNext(reaction);
    const first = await act();
    await until(async () => (await delivery())?.last_error !== null);
    const second = await act();
    await deliveriesRest(app.database);

    expect(product.ids).toEqual([second]);
    expect(await outages()).toEqual([]);
    await deliveryTimePasses(app.database, 30);
    expect(product.ids).toEqual([second, first]);
  });

  it('is tried again less and less often, up to once in a quarter of an hour', async () => {
    product.react({ status: 500 });
    await act();
    for (let hour = 0; hour < 2; hour++)
      for (let minute = 0; minute < 60; minute++) await deliveryTimePasses(app.database, 60);
    const inTwoHours = product.attempts.length;
    for (let minute = 0; minute < 60; minute++) await deliveryTimePasses(app.database, 60);

    expect(inTwoHours).toBeGreaterThanOrEqual(15);
    expect(inTwoHours).toBeLessThanOrEqual(60);
    expect(product.attempts.length - inTwoHours).toBeGreaterThanOrEqual(3);
    expect(product.attempts.length - inTwoHours).toBeLessThanOrEqual(10);
  });

  it('is a dead letter after three days, and not before', async () => {
    product.react({ status: 500 });
    await act();
    await deliveriesRest(app.database);
    await deliveryTimePasses(app.database, 3 * A_DAY - 60);
    expect(await delivery()).toMatchObject({ outcome: null, last_error: 'the endpoint answered 500' });

    await deliveryTimePasses(app.database, A_DAY);
    expect(await delivery()).toMatchObject({ outcome: 'dead', last_error: 'the endpoint answered 500' });
    expect(await delivery('crm')).toMatchObject({ outcome: 'sent' });
    expect(app.log.filter((line) => line.includes('delivery.given_up'))).toHaveLength(1);
  });

  it('that was pruned before it could be sent is not sent', async () => {
    const id = await act();
    await deliveriesRest(app.database);
    await changeDeliveries(
      app.database,
      `DELETE FROM audit_events WHERE id = '${id}';
       UPDATE webhook_deliveries SET finished_at = NULL, outcome = NULL; NOTIFY webhook_deliveries`,
    );
    await deliveriesRest(app.database);

    expect(await delivery()).toMatchObject({ outcome: 'expired' });
    expect(product.ids).toEqual([id]);
  });

  it('waits for an endpoint that this replica does not know, until one knows it', async () => {
    const later = await WebhookReceiver.start();
    const id = await act();
    await deliveriesRest(app.database);
    await app.database.rows(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint) VALUES (gen_random_uuid(), $1, 'later')`,
      [id],
    );
    await app.database.rows('NOTIFY webhook_deliveries');
    await act();
    await until(() => product.ids.length === 2);
    expect(await delivery('later')).toMatchObject({ outcome: null, attempts: 0 });

    const replica = await TestApp.start(webhooks({ name: 'later', url: later.url }), {
      database: app.database,
    });
    await until(() => later.ids.length === 1);
    expect(later.ids).toEqual([id]);
    await replica.nest.close();
    await later.close();
  });
});

describe('an endpoint', () => {
  const DOWN: [string, Reaction][] = [
    ['answers 429', { status: 429 }],
    ['answers 502', { status: 502 }],
    ['answers 503', { status: 503 }],
    ['answers 504', { status: 504 }],
    ['hangs', 'hang'],
    ['hangs up', 'hang up'],
    ['sends headers without end', 'endless headers'],
  ];

  it.each(DOWN)('that %s gets one attempt at a time, and then what waited', async (_, reaction) => {
    product.react(reaction);
    const ids = [await act()];
    await deliveriesRest(app.database);
    expect(await outages()).toEqual([{ endpoint: 'product', is_refused: false }]);
    ids.push(...(await acts(4)));
    await deliveriesRest(app.database);
    expect(product.attempts).toHaveLength(1);
    expect([...crm.ids].sort()).toEqual(ids);

    for (let step = 1; step <= 2; step++) {
      await deliveryTimePasses(app.database, 30);
      expect(product.attempts).toHaveLength(1 + step);
    }
    product.react('accept');
    await deliveryTimePasses(app.database, 30);

    expect([...product.ids].sort()).toEqual(ids);
    await until(async () => (await outages()).length === 0);
  });

  it('gets no attempt for as long as it asks for a pause, but for no longer than ten minutes', async () => {
    product.react({ status: 429, headers: { 'retry-after': '86400' } });
    await act();
    await deliveriesRest(app.database);

    await deliveryTimePasses(app.database, 590);
    expect(product.attempts).toHaveLength(1);
    await deliveryTimePasses(app.database, 15);
    expect(product.attempts).toHaveLength(2);
  });

  it('that was down for days gets what waited within five minutes of its repair, if only one event waits', async () => {
    product.react({ status: 503 });
    const id = await act();
    await deliveriesRest(app.database);
    await changeDeliveries(app.database, 'UPDATE webhook_deliveries SET attempts = 30');
    await deliveryTimePasses(app.database, 2.5 * A_DAY);
    expect(product.attempts).toHaveLength(2);

    product.react('accept');
    await deliveryTimePasses(app.database, 300);

    expect(product.ids).toEqual([id]);
    await until(async () => (await outages()).length === 0);
  });

  it.each([401, 403, 404, 410])(
    'that answers %s needs an operator, and gets what waited once repaired',
    async (status) => {
      product.react({ status });
      const id = await act();
      await deliveriesRest(app.database);
      expect(await outages()).toEqual([{ endpoint: 'product', is_refused: true }]);
      expect(await degraded()).toBe(1);

      product.react('accept');
      await deliveryTimePasses(app.database, 30);
      expect(product.ids).toEqual([id]);
      await until(async () => (await outages()).length === 0);
      expect(await degraded()).toBe(0);
    },
  );

  it('that hangs delays no other, however many events wait', async () => {
    product.react('hang');
    const ids = await acts(30);
    await until(() => crm.ids.length === 30, 5_000);

    expect([...crm.ids].sort()).toEqual(ids);
    expect(product.ids).toEqual([]);
  });

  it('that is slow gets ten events at a time from a process', async () => {
    const gate = new Gate();
    product.react({ status: 200, after: gate.opened });
    await changeDeliveries(
      app.database,
      `INSERT INTO webhook_outages VALUES ('product', 1, now() + interval '1 hour', false)`,
    );
    await acts(25);
    await changeDeliveries(app.database, 'DELETE FROM webhook_outages; NOTIFY webhook_deliveries');
    await until(() => product.attempts.length >= 10);

    expect(product.attempts).toHaveLength(10);
    gate.open();
    await until(async () => (await delivery()).outcome === 'sent');
    await deliveriesRest(app.database);
    expect(new Set(product.attempts.map(({ id }) => id)).size).toBe(25);
  });

  it.each<Reaction>(['endless body', 'enormous body'])(
    'that answers with an %s has taken the event, and is read no further',
    async (reaction) => {
      product.react(reaction);
      const id = await act();
      await deliveriesRest(app.database);
      expect(await delivery()).toMatchObject({ outcome: 'sent', attempts: 1 });
      await until(() => product.ids.length === 1);
      const { written } = product;

      expect(product.ids).toEqual([id]);
      expect(written).toBeLessThan(8 * 1_048_576);
    },
  );

  it('whose answer is lost gets the event again under the same id', async () => {
    product.reactNext('lose the answer');
    const id = await act();
    await deliveriesRest(app.database);
    await deliveryTimePasses(app.database, 30);

    expect(product.ids).toEqual([id, id]);
  });

  it('never shows in a log what it answered', async () => {
    product.react({ status: 500, headers: { 'x-secret': 'the-answer-of-the-endpoint' } });
    await act();
    await deliveriesRest(app.database);

    expect(app.log.join()).toContain('the endpoint answered 500');
    expect(app.log.join()).not.toContain('the-answer-of-the-endpoint');
  });
});

describe('a worker', () => {
  it('whose note the database refuses fails only once its other sends are over, and noted', async () => {
    const gate = new Gate();
    const receiver = await WebhookReceiver.start();
    receiver.reactNext('accept');
    receiver.react({ status: 204, after: gate.opened });
    await acts(10);
    await deliveriesRest(app.database);
    await app.database.rows(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint)
       SELECT gen_random_uuid(), event_id, 'new' FROM webhook_deliveries WHERE endpoint = 'product'`,
    );
    const replica = await refuseOneNote(app.database, 'webhook_deliveries', () =>
      TestApp.start(webhooks({ name: 'new', url: receiver.url }), { database: app.database }),
    );
    const hasFailed = () => replica.log.some((line) => line.includes('job.failed'));

    expect(hasFailed()).toBe(false);
    gate.open();
    await until(hasFailed);

    expect(await outcomes('new')).toEqual([
      { outcome: 'sent', count: 9 },
      { outcome: null, count: 1 },
    ]);
    await deliveryTimePasses(app.database, 60);
    expect(await outcomes('new')).toEqual([{ outcome: 'sent', count: 10 }]);
    await replica.nest.close();
    await receiver.close();
  });
});

describe('replicas', () => {
  it('share the deliveries, and send each once', async () => {
    const replica = await TestApp.start(variables, { database: app.database });
    await changeDeliveries(
      app.database,
      `INSERT INTO webhook_outages VALUES ('product', 1, now() + interval '1 hour', false)`,
    );
    const ids = await acts(60);
    await changeDeliveries(app.database, 'DELETE FROM webhook_outages; NOTIFY webhook_deliveries');
    await deliveriesRest(app.database);

    expect([...product.ids].sort()).toEqual(ids);
    const outcomes = await app.database.rows(
      'SELECT outcome, attempts FROM webhook_deliveries GROUP BY 1, 2',
    );
    expect(outcomes).toEqual([{ outcome: 'sent', attempts: 1 }]);
    await replica.nest.close();
  });

  it('do not overwrite the result of the one whose event was taken when its lease had ended', async () => {
    const replica = await TestApp.start(variables, { database: app.database });
    const gate = new Gate();
    product.reactNext({ status: 500, after: gate.opened });
    const id = await act();
    await until(() => product.attempts.length === 1);

    await changeDeliveries(
      app.database,
      'UPDATE webhook_deliveries SET leased_until = now() WHERE finished_at IS NULL; NOTIFY webhook_deliveries',
    );
    await until(async () => (await delivery()).outcome === 'sent');
    gate.open();
    await until(() =>
      [...app.log, ...replica.log].some((line) => line.includes('delivery.postponed') && line.includes(id)),
    );
    await deliveryTimePasses(app.database, 60);

    expect(product.ids).toEqual([id]);
    expect(await delivery()).toMatchObject({ outcome: 'sent', attempts: 2 });
    await replica.nest.close();
  });
});
