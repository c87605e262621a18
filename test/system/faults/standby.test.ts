import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { crowd, type Person } from '../../support/crowd.js';
import { Forwarder } from '../../support/forwarder.js';
import { statusOf } from '../../support/send.js';
import { ServiceProcess } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';
import { PostgresServer } from './postgres-server.js';

let primary: PostgresServer;
let standby: PostgresServer;
let forwarder: Forwarder;
let database: TestDatabase;
let service: ServiceProcess;
beforeAll(async () => {
  primary = await PostgresServer.create();
  standby = await primary.makeStandby('standby');
  await Promise.all([primary.start(), standby.start()]);
  forwarder = await Forwarder.to(primary.port);
  database = TestDatabase.at(primary.url);
  service = await ServiceProcess.start(TestDatabase.at(forwarder.through(primary.url)));
});
afterAll(async () => {
  await service.kill();
  await database.close();
  await forwarder.close();
  await Promise.all([primary.remove(), standby.remove()]);
});

/** A user who is logged in, which the standby knows, too. */
async function knownEverywhere(): Promise<Person> {
  const [person] = await crowd(database, 1);
  const follower = TestDatabase.at(standby.url);
  await until(() => follower.value('SELECT EXISTS (SELECT FROM sessions WHERE user_id = $1)', [person?.id]));
  await follower.close();
  return person as Person;
}

describe('an address that leads to a standby', () => {
  it('makes the service answer 503, until it leads to the primary again', async () => {
    const { cookie } = await knownEverywhere();
    const ask = () => statusOf('GET', `${service.url}/users/me`, { cookie });
    expect(await ask()).toBe(200);

    forwarder.switchTo(standby.port);
    expect(await ask()).toBe(503);
    expect(await statusOf('GET', `${service.url}/health/ready`)).toBe(503);

    forwarder.switchTo(primary.port);
    expect(await ask()).toBe(200);
  });
});
