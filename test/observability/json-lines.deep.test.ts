import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress, PASSWORD } from '../support/accounts.js';
import { DEPLOYED, ServiceProcess, START_PATIENCE_MS } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

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

describe('the log of a deployment', () => {
  it('is JSON line by line from the start to the stop, the mails of the stub included', async () => {
    const email = freshAddress();
    expect((await service.post('/auth/signup', { email, password: PASSWORD })).status).toBe(202);
    await until(async () => service.output.includes('/verify-email?token='));
    expect(await service.stop()).toBe(0);

    const lines = service.output.trimEnd().split('\n');
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        level: 'info',
        event: 'mail.stubbed',
        to: email,
        subject: expect.any(String),
      }),
    );
  });
});

describe('the log of dev, in lines for people', () => {
  it(
    'has no sign that a terminal obeys, whatever a client calls itself',
    async () => {
      const dev = await ServiceProcess.start(database, { SVC_LOG_LEVEL: 'info' });
      await fetch(`${dev.url}/auth/signup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'x\x9b31m\x85forged' },
        body: JSON.stringify({ email: freshAddress(), password: PASSWORD }),
      });
      await until(async () => dev.output.includes('forged'));
      await dev.stop();

      expect(dev.output).toContain('u009b31m');
      expect(dev.output).not.toMatch(/[\x7f-\x9f\u2028\u2029]/);
    },
    START_PATIENCE_MS,
  );
});
