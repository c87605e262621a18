import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import type { Browser } from '../support/browser.js';
import { callCommand, runCommand } from '../support/command-line.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { changeDeliveries, deliveriesRest, WebhookReceiver } from '../support/webhook-receiver.js';
import { webhooks } from '../support/webhooks.js';

let receiver: WebhookReceiver;
let variables: Record<string, string>;
let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  variables = webhooks({ name: 'product', url: receiver.url, types: ['account.*', 'login.succeeded'] });
  app = await TestApp.start(variables);
  browser = await loggedIn(app);
  await forget();
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});
afterEach(() => forget());

async function forget(): Promise<void> {
  await deliveriesRest(app.database);
  await changeDeliveries(app.database, 'DELETE FROM webhook_outages; DELETE FROM webhook_deliveries');
  receiver.taken.length = 0;
}

const cli = (...words: string[]) => callCommand(app, ['webhook', ...words], variables);

/** Changes the user's name, waits until the event is sent, and returns its id. */
async function act(): Promise<string> {
  await browser.patch('/users/me', { name: `Ada ${Math.random()}` });
  await deliveriesRest(app.database);
  return receiver.ids.at(-1) ?? '';
}

const idOf = (eventId: string) =>
  app.database.value('SELECT id FROM webhook_deliveries WHERE event_id = $1', [eventId]);

/** Makes dead letters of the deliveries of some events, as if they had been given up last week. */
const bury = (...eventIds: string[]) =>
  changeDeliveries(
    app.database,
    `UPDATE webhook_deliveries
        SET outcome = 'dead', last_error = 'the endpoint answered 500', created_at = now() - interval '1 week'
      WHERE event_id IN (${eventIds.map((id) => `'${id}'`).join()})`,
  );

const recorded = (type: string) =>
  app.database.value('SELECT details FROM audit_events WHERE type = $1 ORDER BY id DESC LIMIT 1', [type]);

describe('webhook list', () => {
  it('prints time, state, endpoint and type of each delivery, newest first', async () => {
    const [first, second] = [await act(), await act()];
    await bury(first);
    const { code, output, lines } = await runCommand(app, ['webhook', 'list'], variables);

    expect(code).toBe(0);
    expect(lines[0]).toMatch(
      new RegExp(`^${await idOf(second)} .* sent  product  account.updated  1 attempts$`),
    );
    expect(lines[1]).toMatch(
      new RegExp(
        `^${await idOf(first)} .* dead  product  account.updated  1 attempts  the endpoint answered 500$`,
      ),
    );
    expect(output).toContain('1 dead for product, 1 sent for product');
  });

  it('lists those in one state or to one endpoint, and no more than asked for', async () => {
    const [dead, sent] = [await act(), await act()];
    await bury(dead);
    const [inState, toEndpoint, toNone] = await Promise.all([
      cli('list', '--state', 'dead'),
      cli('list', '--endpoint', 'product', '--limit', '1'),
      cli('list', '--endpoint', 'crm'),
    ]);

    expect(inState.lines).toEqual([expect.stringContaining(await idOf(dead))]);
    expect(toEndpoint.lines).toEqual([expect.stringContaining(await idOf(sent))]);
    expect(toNone.lines).toEqual(['']);
  });

  it('refuses an unknown state, and a limit that is no number', async () => {
    const [state, limit] = await Promise.all([cli('list', '--state', 'lost'), cli('list', '--limit', '0')]);

    expect(state).toMatchObject({ code: 1, output: expect.stringContaining('--state must be one of') });
    expect(limit).toMatchObject({ code: 1, output: expect.stringContaining('--limit must be') });
  });
});

describe('webhook show', () => {
  it('prints everything about a delivery', async () => {
    const [eventId, unknown] = [await act(), randomUUID()];
    const [known, none, noId] = await Promise.all([
      cli('show', await idOf(eventId)),
      cli('show', unknown),
      cli('show', 'first'),
    ]);

    expect(known.output).toContain(
      `eventId: ${eventId}\nendpoint: product\ntype: account.updated\nstate: sent\n`,
    );
    expect(none).toMatchObject({ code: 1, output: `There is no delivery ${unknown}.\n` });
    expect(noId).toMatchObject({ code: 1, output: 'There is no delivery first.\n' });
  });
});

describe('webhook retry', () => {
  it('sends a dead letter again with three days to go, and no delivery that was sent', async () => {
    const [dead, sent] = [await act(), await act()];
    await bury(dead);
    receiver.reactNext({ status: 500 });
    const [retried, refused] = [await cli('retry', await idOf(dead)), await cli('retry', await idOf(sent))];

    expect(retried.output).toContain('Put back among the deliveries that wait: 1.');
    expect(refused).toMatchObject({ code: 1, output: `${await idOf(sent)} is not a dead letter.\n` });
    await until(() => receiver.ids.length === 3);
    expect(receiver.ids).toEqual([dead, sent, dead]);
    expect(await recorded('delivery.retried')).toEqual({ retried: 1, delivery_id: await idOf(dead) });
  });

  it('puts thousands of dead letters back, and records each thousand by itself', async () => {
    await app.database.rows(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint, outcome, finished_at)
       SELECT gen_random_uuid(), gen_random_uuid(), 'former', 'dead', now() FROM generate_series(1, 2001)`,
    );
    const events = await eventsAfter(app, async () => {
      expect((await cli('retry', '--all')).output).toContain('that wait: 2001.');
    });

    const waiting = await app.database.value(
      `SELECT count(*)::int FROM webhook_deliveries WHERE endpoint = 'former' AND finished_at IS NULL`,
    );
    expect(waiting).toBe(2001);
    expect(events.map(({ type, details }) => [type, details.retried])).toEqual([
      ['delivery.retried', 1000],
      ['delivery.retried', 1000],
      ['delivery.retried', 1],
    ]);
    await app.database.rows(`DELETE FROM webhook_deliveries WHERE endpoint = 'former'`);
  });

  it('sends all dead letters again', async () => {
    const [first, second] = [await act(), await act()];
    await bury(first, second);

    expect((await cli('retry', '--all')).output).toContain('that wait: 2.');
    await until(() => receiver.ids.length === 4);
    expect(await recorded('delivery.retried')).toEqual({ retried: 2 });
    expect((await cli('retry')).output).toBe('Say which delivery, or --all.\n');
  });
});

describe('webhook replay', () => {
  it('sends an endpoint again what it wants to know since an instant, each under the id of before', async () => {
    const before = await act();
    const since: Date = await app.database.value('SELECT now()');
    const ids = [await act(), await act(), await act()];
    await changeDeliveries(app.database, `DELETE FROM webhook_deliveries WHERE event_id = '${ids[1]}'`);
    await bury(ids[2] ?? '');
    receiver.taken.length = 0;

    const { output } = await cli('replay', 'product', '--since', since.toISOString());
    await until(() => receiver.ids.length === 3);

    expect(output).toContain('Events to send product again: 3.');
    expect([...receiver.ids].sort()).toEqual(ids);
    expect(receiver.ids).not.toContain(before);
    expect(await recorded('delivery.replayed')).toEqual({
      endpoint: 'product',
      since: since.toISOString(),
      replayed: 3,
    });
  });

  it('sends those of one type or family, and all of more than a thousand', async () => {
    await app.database.rows(
      `INSERT INTO audit_events (id, type, chain_id, created_at)
       SELECT (lpad(to_hex(extract(epoch FROM timestamptz '2026-01-01')::bigint * 1000), 12, '0')
                || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
              CASE WHEN n = 1 THEN 'login.succeeded' ELSE 'account.enabled' END,
              '00000000-0000-0000-0000-000000000000', '2026-01-01'
         FROM generate_series(1, 1501) n`,
    );
    const since = ['--since', '2025-12-31T00:00:00Z'];
    const one = await cli('replay', 'product', ...since, '--type', 'login.succeeded');
    expect(one.output).toMatch(/again: [12]\./);
    const { output } = await cli('replay', 'product', ...since, '--type', 'account.*');
    expect(Number(/again: (\d+)\./.exec(output)?.[1])).toBeGreaterThanOrEqual(1500);

    await until(() => new Set(receiver.ids).size >= 1501, 60_000);
    await deliveriesRest(app.database);
    await app.database.rows(`DELETE FROM audit_events WHERE created_at = '2026-01-01'`);
  });

  it('refuses an endpoint that is not set, a type that it does not want, and what is no instant', async () => {
    const since = ['--since', '2026-11-20T08:00:00Z'];
    const [unknown, unwanted, noInstant] = await Promise.all([
      cli('replay', 'crm', ...since),
      cli('replay', 'product', ...since, '--type', 'member.joined'),
      cli('replay', 'product', '--since', 'yesterday'),
    ]);

    expect(unknown).toMatchObject({ code: 1, output: 'SVC_WEBHOOKS has no endpoint crm.\n' });
    expect(unwanted).toMatchObject({
      code: 1,
      output: 'product wants no events of the type member.joined.\n',
    });
    expect(noInstant).toMatchObject({
      code: 1,
      output: expect.stringContaining('--since must be an instant'),
    });
  });
});

describe('webhook forget', () => {
  it('deletes what waits for an endpoint that is no longer set, and nothing else', async () => {
    const eventId = await act();
    await app.database.rows(
      `INSERT INTO webhook_deliveries (id, event_id, endpoint)
       SELECT gen_random_uuid(), gen_random_uuid(), 'former' FROM generate_series(1, 2001);
       INSERT INTO webhook_outages VALUES ('former', 1, now(), true)`,
    );
    const [forgotten, refused] = [await cli('forget', 'former'), await cli('forget', 'product')];

    expect(forgotten.output).toContain('Deliveries to former deleted: 2001.');
    expect(refused).toMatchObject({
      code: 1,
      output: 'product is set in SVC_WEBHOOKS. Take it out there first.\n',
    });
    expect(await app.database.rows('SELECT event_id FROM webhook_deliveries')).toEqual([
      { event_id: eventId },
    ]);
    expect(await app.database.rows('SELECT * FROM webhook_outages')).toEqual([]);
    expect(await recorded('delivery.forgotten')).toEqual({ endpoint: 'former', forgotten: 2001 });
  });
});
