import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import { Forwarder } from '../support/forwarder.js';
import { Held } from '../support/lock-step.js';
import { TestApp } from '../support/test-app.js';
import { TestDatabase } from '../support/test-database.js';

let forwarder: Forwarder;
let app: TestApp;
beforeAll(async () => {
  const database = await TestDatabase.create();
  forwarder = await Forwarder.to(Number(new URL(database.url).port));
  app = await TestApp.start({ SVC_DATABASE_URL: forwarder.through(database.url) }, { database });
});
afterAll(async () => {
  await app.close();
  await forwarder.close();
});

describe('when the network resets the connections to the database', () => {
  it('a statement under way is answered 503, and the next request as always', async () => {
    const browser = await loggedIn(app);
    const headers = { cookie: `session_id=${browser.jar.get('session_id')}` };
    const rename = () =>
      app.nest.inject({ method: 'PATCH', url: '/users/me', headers, payload: { name: 'Ada' } });
    const held = await Held.by(app.database, 'SELECT FROM users WHERE email = $1 FOR UPDATE', [
      browser.email,
    ]);

    const renamed = rename();
    await held.untilWaiting(1);
    forwarder.reset();

    expectProblem(await renamed, 503, 'ServiceUnavailable');
    await held.release();
    expect((await rename()).statusCode).toBe(200);
  });
});
