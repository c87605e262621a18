import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { CookieJar } from './cookie-jar.js';

const REQUESTS = 16;
const RENEWALS = 4;

let replicas: TestApp[];
let ports: number[];
beforeAll(async () => {
  const first = await TestApp.start();
  replicas = [first, await TestApp.start({}, { database: first.database })];
  ports = await Promise.all(replicas.map((replica) => replica.listen()));
});
afterAll(async () => {
  await replicas[1]?.nest.close();
  await replicas[0]?.close();
});

describe('requests under way while the session gets fresh cookies, on two replicas', () => {
  it(`are all answered, ${REQUESTS} of them, though the service refuses some with SessionRenewed`, async () => {
    const jar = new CookieJar(await loggedIn(replicas[0] as TestApp));
    let sent = 0;
    let renewed = 0;
    const page = jar.tab('http://service.test', {
      fetch: async (address, init) => {
        const port = ports[sent++ % 2];
        const response = await jar.fetch(String(address).replace('service.test', `127.0.0.1:${port}`), init);
        if (response.status === 401) renewed++;
        return response;
      },
    });

    const answers = Array.from({ length: REQUESTS }, (_, index) =>
      index % (REQUESTS / RENEWALS) === 0
        ? page.stepUp({ password: PASSWORD })
        : page.updateMe({ name: `${index}` }),
    );

    expect(await Promise.allSettled(answers)).toEqual(
      answers.map(() => expect.objectContaining({ status: 'fulfilled' })),
    );
    expect(renewed).toBeGreaterThan(0);
    expect(page.session.getSnapshot().status).not.toBe('out');
  });
});
