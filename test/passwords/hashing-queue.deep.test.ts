import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import type { Browser } from '../support/browser.js';
import { TestApp } from '../support/test-app.js';
import { from } from '../support/two-replicas.js';
import { Gate } from '../support/until.js';

const CONNECTIONS = 100;
const WRONG = 'not the password';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({
    SVC_RATE_LIMITS: 'on',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_BCRYPT_COST: '10',
    SVC_LIMIT_LOGIN_PER_NETWORK: '100000/15m',
  });
});
afterAll(() => app.close());
beforeEach(() => app.database.rows('TRUNCATE rate_limits'));

const login = (browser: Browser, email: string, password: string, ip: string) =>
  browser.post('/auth/login', { email, password }, from(ip));

/** Does something as soon as the queue is full and refuses one of so many connections, which all guess at once. */
async function duringFlood<T>(addressOf: (connection: number) => string, work: () => Promise<T>): Promise<T> {
  const refused = new Gate();
  const flood = Array.from({ length: CONNECTIONS }, async (_, connection) => {
    const { status } = await login(app.browser(), freshAddress(), WRONG, addressOf(connection));
    if (status === 503) refused.open();
  });

  await Promise.race([refused.opened, Promise.all(flood)]);
  const done = await work();
  await Promise.all(flood);
  return done;
}

const oneSite = (connection: number) => `2001:db8:1:${connection.toString(16)}::1`;
const oneAddress = () => '192.0.2.1';
const everywhere = (connection: number) => `198.51.100.${connection}`;

const FULL = { status: 503, headers: { 'retry-after': '5' }, body: { code: 'ServiceUnavailable' } };

describe.each(Object.entries({ oneSite, oneAddress, everywhere }))(
  `while ${CONNECTIONS} connections guess passwords (%s)`,
  (_, addressOf) => {
    it('an owner logs in from every device that the account knows', async () => {
      const owners = await Promise.all(Array.from({ length: 5 }, () => loggedIn(app)));

      const answers = await duringFlood(addressOf, () =>
        Promise.all(owners.map((owner) => login(owner, owner.email, PASSWORD, addressOf(1)))),
      );

      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    });
  },
);

describe.each(Object.entries({ oneSite, oneAddress }))(
  `while ${CONNECTIONS} connections of one network guess passwords (%s)`,
  (_, addressOf) => {
    it('people in other networks log in and sign up as ever', async () => {
      const email = await verified(app);

      const answers = await duringFlood(addressOf, () =>
        Promise.all([
          login(app.browser(), email, PASSWORD, '203.0.113.1'),
          app
            .browser()
            .post('/auth/signup', { email: freshAddress(), password: PASSWORD }, from('2001:db8:2::1')),
        ]),
      );

      expect(answers.map(({ status }) => status)).toEqual([200, 202]);
    });
  },
);

describe('while strangers everywhere guess passwords', () => {
  it('the service asks a browser that the account does not know to try again', async () => {
    const email = await verified(app);

    const answers = await duringFlood(everywhere, () =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) => login(app.browser(), email, PASSWORD, `203.0.113.${index}`)),
      ),
    );

    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).not.toEqual([]);
    for (const answer of refused) expect(answer).toMatchObject(FULL);
  });
});
