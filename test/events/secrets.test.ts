import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import { BackEnd } from '../support/back-end.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { newSecret, webhooks } from '../support/webhooks.js';

const METRICS_TOKEN = 'the token of Prometheus that the tests know';

let backEnd: BackEnd;
let app: TestApp;
beforeAll(async () => {
  backEnd = await BackEnd.start([newSecret(), newSecret()]);
  backEnd.answerWith((response) => response.writeHead(500).end('why'));
  const { url, secrets } = backEnd;
  app = await TestApp.start({
    ...webhooks({ name: 'product', url: `${url}?key=of-the-query`, secrets }),
    SVC_LOG_LEVEL: 'trace',
    SVC_METRICS_TOKEN: METRICS_TOKEN,
  });
});
afterAll(async () => {
  await app.close();
  await backEnd.close();
});

describe('the secrets of an endpoint', () => {
  it('are in no log line, row, metric or setting that the service shows, also when a delivery fails', async () => {
    await loggedIn(app);
    const failures = 'SELECT last_error FROM webhook_deliveries WHERE last_error IS NOT NULL';
    await until(async () => (await app.database.rows(failures)).length > 0);
    await until(() => app.log.some((line) => line.includes('delivery.postponed')));

    const admin = await loggedInAs(app, 'sys_admin');
    const system = await admin.get('/system');
    const shown = system.body.system.settings.find(({ name }: { name: string }) => name === 'SVC_WEBHOOKS');
    const metrics = await app.browser({ authorization: `Bearer ${METRICS_TOKEN}` }).get('/metrics');
    const rows = await app.database.rows('SELECT d::text FROM webhook_deliveries d');

    expect(shown).toEqual({
      name: 'SVC_WEBHOOKS',
      value: null,
      fingerprint: expect.stringMatching(/^[\da-f]{8}$/),
      is_default: false,
    });
    expect(metrics.text).toContain('latchkey_webhook_attempts_total');
    const places = [app.log.join(), system.text, metrics.text, JSON.stringify(rows)];
    for (const secret of [...backEnd.secrets.map((each) => each.slice('whsec_'.length)), 'of-the-query'])
      for (const place of places) expect(place).not.toContain(secret);
  });
});
