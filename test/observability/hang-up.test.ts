import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { Held } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { scrape, TOKEN } from './scrape.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ SVC_METRICS_TOKEN: TOKEN });
  await app.nest.listen(0, '127.0.0.1');
});
afterAll(() => app.database.close());

const logoutLines = () =>
  app.log.map((line) => JSON.parse(line)).filter(({ route }) => route === '/auth/logout');

describe('a client that hangs up before it is answered', () => {
  it('makes the service log one line without a status, though the request goes on', async () => {
    const browser = await loggedIn(app);
    const held = await Held.by(app.database, 'SELECT 1 FROM sessions FOR UPDATE', []);
    const { port } = app.nest.getHttpServer().address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    const head = [
      'POST /auth/logout HTTP/1.1',
      'host: x',
      `cookie: session_id=${browser.jar.get('session_id')}`,
    ];

    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await held.untilWaiting(1);
    socket.destroy();
    await once(socket, 'close');
    await until(() => logoutLines().length > 0);
    await held.release();
    const figures = await scrape(app);
    await app.nest.close();

    const { user_id, status, method, duration_ms } = logoutLines()[0];
    expect(logoutLines()).toHaveLength(1);
    expect({ status, method }).toEqual({ status: null, method: 'POST' });
    expect(duration_ms).toBeGreaterThan(0);
    expect(user_id).toBe(await app.database.value('SELECT user_id FROM sessions'));
    expect(
      figures.get('latchkey_http_requests_total{method="POST",route="/auth/logout",status="aborted"}'),
    ).toBe(1);
    expect(await app.database.value('SELECT invalidated_at IS NOT NULL FROM sessions')).toBe(true);
  });
});
