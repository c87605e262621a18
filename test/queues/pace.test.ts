import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pace } from '../../src/queues/pace.js';
import { loggedIn } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { webhooks } from '../support/webhooks.js';

const TURN_MS = 25;

describe('what is sent in the background', () => {
  const ROWS = 50;
  let receiver: WebhookReceiver;
  let app: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    app = await TestApp.start(webhooks({ name: 'product', url: receiver.url, types: ['org.deleted'] }));
    browser = await loggedIn(app);
  });
  beforeEach(() => {
    receiver.attempts.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  /** Events that wait for the endpoint from now on. */
  const burst = () =>
    app.database.rows(
      `WITH event AS (
         INSERT INTO audit_events (id, type, user_id, chain_id, details)
         SELECT gen_random_uuid(), 'account.updated', u.id, u.id, '{}' FROM users u, generate_series(1, ${ROWS})
         RETURNING id
       ), delivery AS (
         INSERT INTO webhook_deliveries (id, event_id, endpoint)
         SELECT gen_random_uuid(), id, 'product' FROM event RETURNING id
       )
       SELECT pg_notify('webhook_deliveries', '') FROM (SELECT count(*) FROM delivery) written`,
    );

  it('gives way to the requests that come meanwhile', async () => {
    const startedAt = performance.now();
    const written = browser.get('/users/me').then(burst);
    while (receiver.attempts.length < ROWS) expect((await browser.get('/users/me')).status).toBe(200);
    await written;

    expect(performance.now() - startedAt).toBeGreaterThan(0.9 * TURN_MS * ROWS);
  });
});

describe('the pace', () => {
  /** How many of some waits end before any timer does. */
  const endAtOnce = async (waits: Promise<void>[]) => {
    let ended = 0;
    for (const wait of waits) void wait.then(() => ended++);
    await Promise.resolve();
    await new Promise((resolve) => process.nextTick(resolve));
    return ended;
  };

  it('makes nothing wait while no requests come', async () => {
    const pace = new Pace();
    const turns = Array.from({ length: 100 }, () => pace.turn());

    expect(await endAtOnce([...turns, pace.look(performance.now())])).toBe(101);
  });

  it('makes no event of an idle queue wait while requests come', async () => {
    const pace = new Pace();
    pace.noteRequest();

    expect(await endAtOnce([pace.look(performance.now() - 1000), pace.turn()])).toBe(2);
  });

  it('lets all queues together send one row after the other while requests come', async () => {
    const pace = new Pace();
    pace.noteRequest();

    const turns = Array.from({ length: 100 }, () => pace.turn());
    expect(await endAtOnce(turns)).toBeLessThan(10);
  });

  it('lets a queue that is woken again and again look for rows only now and then', async () => {
    const pace = new Pace();
    pace.noteRequest();

    expect(await endAtOnce([pace.look(performance.now())])).toBe(0);
  });
});
