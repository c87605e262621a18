import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { MailapiStandIn } from '../support/mailapi-stand-in.js';
import { ServiceProcess } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

let mailapi: MailapiStandIn;
let database: TestDatabase;
const started: ServiceProcess[] = [];
beforeEach(async () => {
  [mailapi, database] = await Promise.all([MailapiStandIn.start(), TestDatabase.create()]);
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.kill()));
  await mailapi.close();
  await database.close();
});

async function startService(): Promise<ServiceProcess> {
  const service = await ServiceProcess.start(database, mailapi.variables);
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

describe('kill -9', () => {
  it('before a mail is sent only delays it until the next start', async () => {
    await database.rows(`INSERT INTO mail_outages VALUES ('mailapi', 1, now() + interval '1 hour', false)`);
    const service = await startService();
    const email = await signUp(service);
    await until(isWaiting);

    await service.kill();
    expect(mailapi.requests).toBe(0);
    await database.rows('TRUNCATE mail_outages');
    await startService();
    await until(isSent);

    expect(mailapi.delivered).toMatchObject([{ to: email }]);
    expect(await mails()).toMatchObject([{ attempts: 1 }]);
  });

  it('while a mail is being sent makes another worker send it when the lease ends, a minute later', async () => {
    mailapi.answerNext('hang');
    const service = await startService();
    const email = await signUp(service);
    await until(() => mailapi.requests === 1);

    await service.kill();
    await startService();
    const [{ lease }] = await mails();
    expect(lease).toBeGreaterThan(0);
    expect(lease).toBeLessThanOrEqual(60);
    await database.rows(`UPDATE outbox_mails SET leased_until = now()`);
    await database.rows('NOTIFY outbox');
    await until(isSent);

    expect(mailapi.delivered).toMatchObject([{ to: email }]);
    expect(await mails()).toMatchObject([{ attempts: 2 }]);
  });
});
