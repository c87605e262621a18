import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { Public } from '../../src/http/route.js';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import { Held } from '../support/lock-step.js';
import { answerTo, connectTo } from '../support/send.js';
import { TestApp } from '../support/test-app.js';

/** Over a connection, where the end of a body is an event of its own. */
const LOGIN =
  'POST /auth/login HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n';

@Controller('added')
@Public()
class Added {
  /** More than there is room for between the service and a client that does not read. */
  @Get('much')
  much() {
    return 'a'.repeat(64 * 1024 * 1024);
  }
}

@Module({ controllers: [Added] })
class Product {}

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await TestApp.start({ SVC_HANDLER_TIMEOUT_SECONDS: '1' }, { product: { modules: [Product] } });
  port = await app.listen();
});
afterAll(() => app.close());

describe('a handler that does not finish in time', () => {
  it('makes the service answer 503, and what it answers later reaches no client', async () => {
    const browser = await loggedIn(app);
    const credentials = JSON.stringify({ email: browser.email, password: PASSWORD });
    const held = await Held.by(app.database, 'LOCK TABLE sessions', []);

    const [me, login] = await Promise.all([
      app.nest.inject({
        url: '/users/me',
        headers: { cookie: `session_id=${browser.jar.get('session_id')}` },
      }),
      answerTo(port, `${LOGIN}Content-Length: ${credentials.length}\r\n\r\n${credentials}`),
    ]);
    const live = await app.browser().get('/health/live');
    await held.release();

    for (const answer of [me, login]) {
      expectProblem(answer, 503, 'ServiceUnavailable');
      expect(answer.headers).toMatchObject({ 'retry-after': '5' });
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect(live.status).toBe(200);
    expect((await browser.get('/users/me')).body.user.email).toBe(browser.email);
  });

  it('is cut off before a proxy gives the service up, by default', () => {
    expect(parseEnvironment({ SVC_ENVIRONMENT: 'dev' }).handlerTimeoutSeconds).toBeLessThan(60);
  });
});

describe('a client that does not read its answer', () => {
  it('loses the connection', async () => {
    const accepted = once(app.nest.getHttpServer(), 'connection');
    const client = (await connectTo(port)).pause().on('error', () => {});
    client.write('GET /added/much HTTP/1.1\r\nHost: a\r\n\r\n');

    const [connection] = await accepted;
    await once(connection, 'close');
    client.destroy();
  });
});
