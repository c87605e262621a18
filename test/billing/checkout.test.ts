import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { type Billing, deliverAll, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { Held } from '../support/lock-step.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
beforeEach(() => {
  billing.stripe.requests.length = 0;
  billing.stripe.latencyMs = 0;
  billing.stripe.trouble = () => undefined;
});

const checkout = (browser: Browser, priceId: string) =>
  browser.post('/subscription/checkout', { price_id: priceId });
const sessionOf = (id: string) => {
  const session = billing.stripe.account.sessions.get(id);
  if (!session) throw new Error(`There is no session ${id}`);
  return session;
};
const customerOf = (browser: { email: string }) =>
  billing.app.database.rows(
    `SELECT c.* FROM billing_customers c JOIN users u ON u.id = c.user_id OR u.org_id = c.org_id
      WHERE u.email = $1`,
    [browser.email],
  );

describe('POST /subscription/checkout', () => {
  it('opens a subscription checkout of Stripe for a recurring price', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();

    const { status, body } = await checkout(browser, price);

    expect({ status, body }).toEqual({
      status: 201,
      body: { id: expect.any(String), url: expect.any(String) },
    });
    const session = sessionOf(body.id);
    expect(session).toMatchObject({
      mode: 'subscription',
      url: body.url,
      line_items: [{ price, quantity: 1 }],
      success_url: 'http://localhost:5173/billing?checkout=success',
      cancel_url: 'http://localhost:5173/billing?checkout=canceled',
    });
    const [customer] = await customerOf(browser);
    expect(customer.stripe_customer_id).toBe(session.customer);
    expect(billing.stripe.account.customers.get(session.customer)).toMatchObject({
      email: browser.email,
      metadata: { user_id: customer.user_id },
    });
  });

  it('opens a payment checkout for a price that does not recur, which never becomes a subscription', async () => {
    const browser = await loggedIn(billing.app);
    const { body } = await checkout(browser, billing.stripe.account.addPrice({ isRecurring: false }));

    expect(sessionOf(body.id).mode).toBe('payment');
    billing.stripe.account.completeSession(body.id);
    await deliverAll(billing);

    expect((await browser.get('/subscription')).body).toEqual({ subscription: null });
    expect((await browser.post('/subscription/portal')).body.code).toBe('NoSubscription');
  });

  it('asks for no quantity of what is metered', async () => {
    const { body } = await checkout(
      await loggedIn(billing.app),
      billing.stripe.account.addPrice({ isMetered: true }),
    );

    expect(sessionOf(body.id).line_items[0]?.quantity).toBeUndefined();
  });

  it('asks for a seat per member of an organization, whoever of them checks out', async () => {
    const org = await foundOrg(billing.app, 'Analytical');
    const price = billing.stripe.account.addPrice();

    const { body } = await checkout(org.readonly, price);

    expect(sessionOf(body.id).line_items).toEqual([{ price, quantity: 3 }]);
    expect(billing.stripe.account.customers.get(sessionOf(body.id).customer)).toMatchObject({
      name: 'Analytical',
      email: org.readonly.email,
      metadata: { org_id: org.id },
    });
  });

  it('asks for a session', async () => {
    expect((await checkout(billing.app.browser(), 'price_1')).body.code).toBe('Unauthenticated');
  });
});

describe('the price of a checkout', () => {
  it.each([
    ['does not exist', () => 'price_of_nothing'],
    ['is inactive', () => billing.stripe.account.addPrice({ isActive: false })],
    ['is of an inactive product', () => billing.stripe.account.addPrice({ isProductActive: false })],
  ])('is UnknownPrice when it %s, and nothing is made', async (_, price) => {
    const browser = await loggedIn(billing.app);

    expect(await checkout(browser, price())).toMatchObject({ status: 400, body: { code: 'UnknownPrice' } });

    expect(await customerOf(browser)).toEqual([]);
    expect(billing.stripe.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it.each(['', '..', '../customers', 'price_1?expand=x', 'price 1', 'p'.repeat(256)])(
    'is refused by its form when it is %j, and Stripe is not asked',
    async (price) => {
      const { status, body } = await checkout(await loggedIn(billing.app), price);

      expect([status, body.errors[0].field]).toEqual([400, 'price_id']);
      expect(billing.stripe.requests).toEqual([]);
    },
  );

  it('must be among SVC_STRIPE_PRICE_IDS where any are named', async () => {
    const [listed, other] = [billing.stripe.account.addPrice(), billing.stripe.account.addPrice()];
    const inactive = billing.stripe.account.addPrice({ isActive: false });
    const choosy = await TestApp.start(
      { ...billing.stripe.variables, SVC_STRIPE_PRICE_IDS: `${listed}, ${inactive}` },
      { database: billing.app.database },
    );
    const browser = choosy.browser();
    const { email } = await loggedIn(billing.app);
    await browser.post('/auth/login', { email, password: 'correct horse battery staple' });

    const answers = [];
    for (const price of [other, inactive, listed]) answers.push((await checkout(browser, price)).status);
    await choosy.nest.close();

    expect(answers).toEqual([400, 400, 201]);
  });
});

describe('a checkout that is asked for again', () => {
  it('is the one that is open', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();

    const first = await checkout(browser, price);
    const again = await checkout(browser, price);

    expect(again.body).toEqual(first.body);
    expect(billing.stripe.count('POST', /sessions$/)).toBe(1);
  });

  it('is made once when the answer was lost, even by a crash', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();
    const before = billing.stripe.account.sessions.size;
    billing.stripe.trouble = ({ path }) => (path.endsWith('/sessions') ? 'lose' : undefined);
    expect((await checkout(browser, price)).status).toBe(502);
    billing.stripe.trouble = () => undefined;

    const { status, body } = await checkout(browser, price);

    expect(status).toBe(201);
    expect(billing.stripe.account.sessions.size).toBe(before + 1);
    expect(sessionOf(body.id).status).toBe('open');
  });

  it('takes the place of one for another price, which can then not be paid any more', async () => {
    const browser = await loggedIn(billing.app);
    const one = await checkout(browser, billing.stripe.account.addPrice());
    const other = await checkout(browser, billing.stripe.account.addPrice());

    expect([sessionOf(one.body.id).status, sessionOf(other.body.id).status]).toEqual(['expired', 'open']);
  });

  it('leaves one for a single payment alone', async () => {
    const browser = await loggedIn(billing.app);
    const payment = await checkout(browser, billing.stripe.account.addPrice({ isRecurring: false }));
    await checkout(browser, billing.stripe.account.addPrice({ isRecurring: false }));
    await checkout(browser, billing.stripe.account.addPrice());

    expect(sessionOf(payment.body.id).status).toBe('open');
  });

  it('is a new one after the first was paid, where that was a single payment', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice({ isRecurring: false });
    const first = await checkout(browser, price);
    billing.stripe.account.completeSession(first.body.id);

    const second = await checkout(browser, price);

    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });

  it('is a new one after the first expired', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();
    const first = await checkout(browser, price);
    billing.stripe.account.expireSession(first.body.id);

    const second = await checkout(browser, price);

    expect([second.status, sessionOf(second.body.id).status]).toEqual([201, 'open']);
  });

  it('is a new one for another number of seats', async () => {
    const org = await foundOrg(billing.app);
    const price = billing.stripe.account.addPrice();
    const first = await checkout(org.admin, price);
    await org.member.delete(`/orgs/${org.id}/members/${org.member.id}`);

    const second = await checkout(org.admin, price);

    expect(sessionOf(first.body.id).status).toBe('expired');
    expect(sessionOf(second.body.id).line_items[0]?.quantity).toBe(2);
  });

  it('leaves one open for a subscription of several that are asked for at once, each for another price', async () => {
    const browser = await loggedIn(billing.app);
    const prices = Array.from({ length: 6 }, () => billing.stripe.account.addPrice());
    billing.stripe.latencyMs = 5;

    const answers = await Promise.all(prices.map((price) => checkout(browser, price)));

    expect(answers.map(({ status }) => status)).toEqual(prices.map(() => 201));
    const open = answers.filter(({ body }) => sessionOf(body.id).status === 'open');
    expect(open).toHaveLength(1);
  });
});

describe('a checkout that is made while another one takes its place', () => {
  it('is closed, although its session was not known yet', async () => {
    const browser = await loggedIn(billing.app);
    const [one, other] = [billing.stripe.account.addPrice(), billing.stripe.account.addPrice()];
    const answer = billing.stripe.hold(({ path }) => path === '/v1/checkout/sessions');

    const first = checkout(browser, one);
    await answer.reached;
    const held = await Held.by(billing.app.database, 'SELECT 1 FROM stripe_attempts FOR UPDATE', []);
    answer.release();
    await held.untilWaiting(1);
    const second = checkout(browser, other);
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
    const answers = await Promise.all(people.map((person) => checkout(person, price)));

    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect([customers.size, sessions.size]).toEqual(before.map((size) => size + 1));
    expect(await customerOf(org.admin)).toHaveLength(1);
  });
});

describe('a checkout of who has a subscription', () => {
  it.each(['active', 'trialing', 'past_due', 'unpaid', 'paused', 'incomplete'])(
    'is AlreadySubscribed while it is %s, although no event told of it',
    async (status) => {
      const browser = await loggedIn(billing.app);
      const subscription = await subscribe(billing, browser);
      billing.stripe.account.updateSubscription(subscription.id, { status });
      billing.stripe.account.events.length = 0;
      billing.stripe.requests.length = 0;

      const answer = await checkout(browser, billing.stripe.account.addPrice());

      expect(answer).toMatchObject({ status: 409, body: { code: 'AlreadySubscribed' } });
      expect(billing.stripe.count('POST', /sessions$/)).toBe(0);
      expect((await browser.get('/subscription')).body.subscription.status).toBe(status);
    },
  );

  it.each(['canceled', 'incomplete_expired'])('is opened when it is %s', async (status) => {
    const browser = await loggedIn(billing.app);
    const subscription = await subscribe(billing, browser);
    billing.stripe.account.updateSubscription(subscription.id, { status });

    expect((await checkout(browser, billing.stripe.account.addPrice())).status).toBe(201);
  });

  it('is opened for a single payment', async () => {
    const browser = await loggedIn(billing.app);
    await subscribe(billing, browser);

    expect((await checkout(browser, billing.stripe.account.addPrice({ isRecurring: false }))).status).toBe(
      201,
    );
  });

  it('is AlreadySubscribed when an earlier checkout is paid at that moment', async () => {
    const browser = await loggedIn(billing.app);
    const first = await checkout(browser, billing.stripe.account.addPrice());
    billing.stripe.account.completeSession(first.body.id);

    const second = await checkout(browser, billing.stripe.account.addPrice());

    expect(second.body.code).toBe('AlreadySubscribed');
  });
});

describe('a customer who was deleted at Stripe', () => {
  it('gets a new one at the next checkout, whether or not an event told of it', async () => {
    for (const isTold of [true, false]) {
      const browser = await loggedIn(billing.app);
      const { customer } = await subscribe(billing, browser);
      billing.stripe.account.deleteCustomer(customer);
      if (isTold) await deliverAll(billing);

      const { status, body } = await checkout(browser, billing.stripe.account.addPrice());

      expect(status).toBe(201);
      expect(sessionOf(body.id).customer).not.toBe(customer);
      expect(await customerOf(browser)).toHaveLength(1);
    }
  });
});
