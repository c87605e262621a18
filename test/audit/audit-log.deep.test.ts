import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { DEPLOYED, ServiceProcess, START_PATIENCE_MS } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const SIGNUPS = 20;

let database: TestDatabase;
let service: ServiceProcess;
beforeAll(async () => {
  database = await TestDatabase.create();
  service = await ServiceProcess.start(database, DEPLOYED);
}, START_PATIENCE_MS);
afterAll(async () => {
  await service.kill();
  await database.close();
});

describe('a service that is killed', () => {
  it('has written the line of each audit event that it had linked', async () => {
    for (let times = 0; times < SIGNUPS; times++)
      await service.post('/auth/signup', { email: freshAddress(), password: PASSWORD });
    const linked = 'SELECT count(*)::int FROM audit_events WHERE chain_hash IS NOT NULL';
    await until(async () => (await database.value(linked)) === SIGNUPS);
    await service.kill();

    const events = await database.rows('SELECT id FROM audit_events');
    expect(events).toHaveLength(SIGNUPS);
    // The pipe may hold the last lines a moment longer than the process lives.
    await until(() => events.every(({ id }) => service.output.includes(`"audit_id":"${id}"`)));
  });
});
