import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import {
  type Billing,
  checkOut,
  customersOf,
  deliverAll,
  startBilling,
  subscribe,
} from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { Held } from '../support/lock-step.js';
import { foundOrg } from '../support/orgs.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling({ SVC_LOCALES: 'en,de,fr,it' });
});
afterAll(() => billing.stop());
beforeEach(() => billing.stripe.calmDown());

const sessionOf = (id: string) => billing.stripe.account.session(id);

const inLanguage = (tag: string, browser: Browser, price: string) =>
  browser.post('/subscription/checkout', { price_id: price }, { 'accept-language': tag });

const unavailable = { status: 503, body: { code: 'ServiceUnavailable' } };

describe('a repeated request for a checkout', () => {
  it('gets the checkout that is open', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();

    const first = await checkOut(browser, price);
    const again = await checkOut(browser, price);

    expect(again.body).toEqual(first.body);
    expect(billing.stripe.count('POST', /sessions$/)).toBe(1);
  });

  it('gets the checkout that is open in whatever language it asks', async () => {
    const browser = await loggedIn(billing.app);
    for (const isRecurring of [true, false]) {
      const price = billing.stripe.account.addPrice({ isRecurring });
      const [first, again, one, other] = [
        await inLanguage('de', browser, price),
        await inLanguage('fr', browser, price),
        ...(await Promise.all(['en', 'it'].map((tag) => inLanguage(tag, browser, price)))),
      ];

      expect([again?.body, one?.body, other?.body]).toEqual(Array(3).fill(first.body));
      expect(sessionOf(first.body.id)).toMatchObject({ status: 'open', locale: 'de' });
    }
  });

  it('makes no second checkout when the answer was lost, and it asks in another language', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice({ isRecurring: false });
    const before = billing.stripe.account.sessions.size;
    billing.stripe.trouble = ({ path }) => (path.endsWith('/sessions') ? 'lose' : undefined);
    expect((await inLanguage('de', browser, price)).status).toBe(502);
    billing.stripe.trouble = () => undefined;

    expect((await inLanguage('fr', browser, price)).status).toBe(201);
    expect(billing.stripe.account.sessions.size).toBe(before + 1);
  });

  it('makes no second checkout when the answer was lost, even by a crash', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();
    const before = billing.stripe.account.sessions.size;
    billing.stripe.trouble = ({ path }) => (path.endsWith('/sessions') ? 'lose' : undefined);
    expect((await checkOut(browser, price)).status).toBe(502);
    billing.stripe.trouble = () => undefined;

    const { status, body } = await checkOut(browser, price);

    expect(status).toBe(201);
    expect(billing.stripe.account.sessions.size).toBe(before + 1);
    expect(sessionOf(body.id).status).toBe('open');
  });

  it('replaces a checkout for another price, which can then not be paid any more', async () => {
    const browser = await loggedIn(billing.app);
    const one = await checkOut(browser, billing.stripe.account.addPrice());
    const other = await checkOut(browser, billing.stripe.account.addPrice());

    expect([sessionOf(one.body.id).status, sessionOf(other.body.id).status]).toEqual(['expired', 'open']);
  });

  it('does not replace a checkout for a single payment', async () => {
    const browser = await loggedIn(billing.app);
    const payment = await checkOut(browser, billing.stripe.account.addPrice({ isRecurring: false }));
    await checkOut(browser, billing.stripe.account.addPrice({ isRecurring: false }));
    await checkOut(browser, billing.stripe.account.addPrice());

    expect(sessionOf(payment.body.id).status).toBe('open');
  });

  it('makes a new checkout after the first was paid, when that was a single payment', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice({ isRecurring: false });
    const first = await checkOut(browser, price);
    billing.stripe.account.completeSession(first.body.id);

    const second = await checkOut(browser, price);

    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('makes a new checkout after the first expired', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();
    const first = await checkOut(browser, price);
    billing.stripe.account.expireSession(first.body.id);

    const second = await checkOut(browser, price);

    expect([second.status, sessionOf(second.body.id).status]).toEqual([201, 'open']);
  });

  it('makes a new checkout for another number of seats', async () => {
    const org = await foundOrg(billing.app);
    const price = billing.stripe.account.addPrice();
    const first = await checkOut(org.admin, price);
    await org.member.delete(`/orgs/${org.id}/members/${org.member.id}`);

    const second = await checkOut(org.admin, price);

    expect(sessionOf(first.body.id).status).toBe('expired');
    expect(sessionOf(second.body.id).line_items[0]?.quantity).toBe(2);
  });

  it('leaves one checkout for a subscription open when several requests at once name different prices', async () => {
    const browser = await loggedIn(billing.app);
    const prices = Array.from({ length: 6 }, () => billing.stripe.account.addPrice());
    billing.stripe.latencyMs = 5;

    const answers = await Promise.all(prices.map((price) => checkOut(browser, price)));

    expect(answers.map(({ status }) => status)).toEqual(prices.map(() => 201));
    const open = answers.filter(({ body }) => sessionOf(body.id).status === 'open');
    expect(open).toHaveLength(1);
  });
});

describe('a checkout that is made while another one replaces it', () => {
  it('is closed, although the service did not know its session yet', async () => {
    const browser = await loggedIn(billing.app);
    const [one, other] = [billing.stripe.account.addPrice(), billing.stripe.account.addPrice()];
    const answer = billing.stripe.hold(({ path }) => path === '/v1/checkout/sessions');

    const first = checkOut(browser, one);
    await answer.reached;
    const held = await Held.by(billing.app.database, 'SELECT 1 FROM stripe_attempts FOR UPDATE', []);
    answer.release();
    await held.untilWaiting(1);
    const second = checkOut(browser, other);
    await held.untilWaiting(2);
    await held.release();
    const answers = await Promise.all([first, second]);

    expect(answers.map(({ body }) => sessionOf(body.id).status)).toEqual(['expired', 'open']);
  });
});

describe('32 first checkouts at once', () => {
  it('make one customer and one checkout', async () => {
    const org = await foundOrg(billing.app);
    const price = billing.stripe.account.addPrice();
    const { customers, sessions } = billing.stripe.account;
    const before = [customers.size, sessions.size];
    billing.stripe.latencyMs = 20;

    const people = Array.from({ length: 32 }, (_, index) => (index % 2 ? org.admin : org.member));
    const answers = await Promise.all(people.map((person) => checkOut(person, price)));

    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect([customers.size, sessions.size]).toEqual(before.map((size) => size + 1));
    expect(await customersOf(billing, org.admin)).toHaveLength(1);
  });
});

describe('a checkout of a user with a subscription', () => {
  it.each(['active', 'trialing', 'past_due', 'unpaid', 'paused', 'incomplete'])(
    'is refused with AlreadySubscribed while that is %s, although no event has reported it',
    async (status) => {
      const browser = await loggedIn(billing.app);
      const subscription = await subscribe(billing, browser);
      billing.stripe.account.updateSubscription(subscription.id, { status });
      billing.stripe.account.events.length = 0;
      billing.stripe.requests.length = 0;

      const answer = await checkOut(browser, billing.stripe.account.addPrice());

      expect(answer).toMatchObject({ status: 409, body: { code: 'AlreadySubscribed' } });
      expect(billing.stripe.count('POST', /sessions$/)).toBe(0);
      expect((await browser.get('/subscription')).body.subscription.status).toBe(status);
    },
  );

  it.each(['canceled', 'incomplete_expired'])('is opened when that is %s', async (status) => {
    const browser = await loggedIn(billing.app);
    const subscription = await subscribe(billing, browser);
    billing.stripe.account.updateSubscription(subscription.id, { status });

    expect((await checkOut(browser, billing.stripe.account.addPrice())).status).toBe(201);
  });

  it('is opened for a single payment', async () => {
    const browser = await loggedIn(billing.app);
    await subscribe(billing, browser);

    expect((await checkOut(browser, billing.stripe.account.addPrice({ isRecurring: false }))).status).toBe(
      201,
    );
  });

  it('is refused with AlreadySubscribed when an earlier checkout is paid at that moment', async () => {
    const browser = await loggedIn(billing.app);
    const first = await checkOut(browser, billing.stripe.account.addPrice());
    billing.stripe.account.completeSession(first.body.id);

    const second = await checkOut(browser, billing.stripe.account.addPrice());

    expect(second.body.code).toBe('AlreadySubscribed');
  });
});

describe('a checkout that cannot be finished', () => {
  it('ends with an error when each new customer is deleted at Stripe', async () => {
    const browser = await loggedIn(billing.app);
    billing.stripe.trouble = ({ method, path }) => {
      const [, id] = /^\/v1\/customers\/(\w+)$/.exec(path) ?? [];
      if (method === 'GET' && id) billing.stripe.account.deleteCustomer(id);
      return undefined;
    };

    expect(await checkOut(browser, billing.stripe.account.addPrice())).toMatchObject(unavailable);
    expect(billing.stripe.count('POST', /sessions$/)).toBe(0);
  });

  it('ends with an error when other requests replace it again and again', async () => {
    const browser = await loggedIn(billing.app);
    await billing.app.database.rows(
      `CREATE FUNCTION take_place() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
       CREATE TRIGGER taken BEFORE INSERT ON stripe_attempts FOR EACH ROW EXECUTE FUNCTION take_place()`,
    );

    const answer = await checkOut(browser, billing.stripe.account.addPrice());

    await billing.app.database.rows('DROP FUNCTION take_place CASCADE');
    expect(answer).toMatchObject(unavailable);
  });
});

describe('a customer who was deleted at Stripe', () => {
  it('is replaced by a new one at the next checkout, whether or not an event has reported it', async () => {
    for (const isTold of [true, false]) {
      const browser = await loggedIn(billing.app);
      const { customer } = await subscribe(billing, browser);
      billing.stripe.account.deleteCustomer(customer);
      if (isTold) await deliverAll(billing);

      const { status, body } = await checkOut(browser, billing.stripe.account.addPrice());

      expect(status).toBe(201);
      expect(sessionOf(body.id).customer).not.toBe(customer);
      expect(await customersOf(billing, browser)).toHaveLength(1);
    }
  });
});
