import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { PASSWORD } from '../support/accounts.js';
import { crowd } from '../support/crowd.js';
import { ServiceProcess } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { Gate, until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { webhooks } from '../support/webhooks.js';

let receiver: WebhookReceiver;
let database: TestDatabase;
const started: ServiceProcess[] = [];
beforeEach(async () => {
  [receiver, database] = await Promise.all([WebhookReceiver.start(), TestDatabase.create()]);
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.kill()));
  await receiver.close();
  await database.close();
});

async function startService(): Promise<ServiceProcess> {
  const endpoint = { name: 'product', url: receiver.url, types: ['login.succeeded'] };
  const service = await ServiceProcess.start(database, webhooks(endpoint));
  started.push(service);
  return service;
}

async function logIn(service: ServiceProcess): Promise<void> {
  const [person] = await crowd(database, 1);
  const { status } = await service.post('/auth/login', { email: person?.email, password: PASSWORD });
  expect(status).toBe(200);
}

const deliveries = () =>
  database.rows('SELECT *, extract(epoch FROM leased_until - now())::float AS lease FROM webhook_deliveries');
const isSent = async () => (await deliveries()).some(({ outcome }) => outcome === 'sent');

it('kill -9 of a service before an event is sent only delays it until the next start', async () => {
  await database.rows(`INSERT INTO webhook_outages VALUES ('product', 1, now() + interval '1 hour', false)`);
  const service = await startService();
  await logIn(service);

  await service.kill();
  expect(receiver.attempts).toEqual([]);
  await database.rows('TRUNCATE webhook_outages');
  await startService();
  await until(isSent);

  const [{ event_id, attempts }] = await deliveries();
  expect([receiver.ids, attempts]).toEqual([[event_id], 1]);
});

it('kill -9 of a service between the answer and its note sends the event again under the same id', async () => {
  const gate = new Gate();
  receiver.reactNext({ status: 204, after: gate.opened });
  const service = await startService();
  await logIn(service);
  await until(() => receiver.attempts.length === 1);

  await service.kill();
  gate.open();
  await startService();
  const [{ lease }] = await deliveries();
  expect(lease).toBeGreaterThan(0);
  expect(lease).toBeLessThanOrEqual(60);
  await database.rows(`UPDATE webhook_deliveries SET leased_until = now()`);
  await database.rows('NOTIFY webhook_deliveries');
  await until(isSent);

  const [{ event_id, attempts }] = await deliveries();
  expect(receiver.attempts.map(({ id }) => id)).toEqual([event_id, event_id]);
  expect(attempts).toBe(2);
});
