import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { CloudmailStandIn } from '../support/cloudmail-stand-in.js';
import type { MailStandIn } from '../support/mail-stand-in.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { ServiceProcess } from '../support/service-process.js';
import { SmtpStandIn } from '../support/smtp-stand-in.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

let standIn: MailStandIn<unknown>;
let database: TestDatabase;
const started: ServiceProcess[] = [];
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.kill()));
  await standIn.close();
  await database.close();
});

async function startService(): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(database, standIn.variables);
  started.push(service);
  return service;
}

async function signUp(service: ServiceProcess): Promise<string> {
  const email = freshAddress();
  expect((await service.post('/auth/signup', { email, password: PASSWORD })).status).toBe(202);
  return email;
}

const mails = () =>
  database.rows('SELECT *, extract(epoch FROM leased_until - now())::float AS lease FROM outbox_mails');
const isWaiting = async () => (await mails()).some(({ outcome }) => outcome === null);
const isSent = async () => (await mails()).some(({ outcome }) => outcome === 'sent');

// The lease of a mail is the outbox's, whatever the provider.
describe('kill -9 of a service', () => {
  beforeEach(async () => {
    standIn = await SmtpStandIn.start();
  });

  it('before a mail is sent only delays it until the next start', async () => {
    await database.rows(`INSERT INTO mail_outages VALUES ('smtp', 1, now() + interval '1 hour', false)`);
    const service = await startService();
    const email = await signUp(service);
    await until(isWaiting);

    await service.kill();
    expect(standIn.requests).toBe(0);
    await database.rows('TRUNCATE mail_outages');
    await startService();
    await until(isSent);

    expect(standIn.delivered).toMatchObject([{ to: email }]);
    expect(await mails()).toMatchObject([{ attempts: 1 }]);
  });

  it('while a mail is being sent makes another worker send it when the lease ends, a minute later', async () => {
    standIn.answerNext('hang');
    const service = await startService();
    const email = await signUp(service);
    await until(() => standIn.requests === 1);

    await service.kill();
    await startService();
    const [{ lease }] = await mails();
    expect(lease).toBeGreaterThan(0);
    expect(lease).toBeLessThanOrEqual(60);
    await database.rows(`UPDATE outbox_mails SET leased_until = now()`);
    await database.rows('NOTIFY outbox');
    await until(isSent);

    expect(standIn.delivered).toMatchObject([{ to: email }]);
    expect(await mails()).toMatchObject([{ attempts: 2 }]);
  });
});

describe.each<{ provider: string; start: () => Promise<MailStandIn<unknown>>; lost: number; times: number }>([
  { provider: 'mailapi', start: MailapiStandIn.start, lost: 1, times: 2 },
  { provider: 'cloudmail', start: CloudmailStandIn.start, lost: 2, times: 1 },
  { provider: 'smtp', start: SmtpStandIn.start, lost: 1, times: 2 },
])('an answer of $provider that is lost on the way', ({ start, lost, times }) => {
  it(`makes the service send the mail again within seconds, under the same id; it arrives ${times} times`, async () => {
    standIn = await start();
    standIn.answerNext(...Array(lost).fill('lose the answer'));
    const service = await startService();
    const email = await signUp(service);
    await until(isSent, 10_000);

    const [{ id, attempts }] = await mails();
    expect([attempts, standIn.requests]).toEqual([2, lost + 1]);
    expect(standIn.delivered.map((mail) => [mail.id, mail.to])).toEqual(Array(times).fill([id, email]));
  });
});
