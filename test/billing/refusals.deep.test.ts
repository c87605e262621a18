import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs, verified } from '../support/accounts.js';
import {
  type Billing,
  checkOut,
  customersOf,
  deliverAll,
  rowOf,
  runCron,
  startBilling,
  subscribe,
} from '../support/billing.js';
import type { Answer, Browser } from '../support/browser.js';
import type { Event } from '../support/stripe/objects.js';
import { deliver } from '../support/stripe/webhooks.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling({ SVC_LIMIT_CHECKOUT_PER_USER: '1000/1h' });
});
afterAll(() => billing.stop());
afterEach(() => billing.stripe.calmDown());

/** A customer who pays, in euros. */
interface Subscriber {
  browser: Browser;
  id: string;
  customer: string;
}

async function newSubscriber(): Promise<Subscriber> {
  const browser = await loggedIn(billing.app);
  const { id, customer } = await subscribe(billing, browser);
  return { browser, id, customer };
}

/** A customer who paid in euros once, and does no longer. */
async function formerSubscriber(): Promise<Subscriber> {
  const subscriber = await newSubscriber();
  billing.stripe.account.endSubscription(subscriber.id);
  await deliverAll(billing);
  return subscriber;
}

const refusal = (code: string) => ({ status: 409, body: { code } });

describe('a checkout in another currency than the earlier payments', () => {
  it('is CurrencyMismatch each time, and opens once the price has the currency too', async () => {
    const { browser } = await formerSubscriber();
    const { account } = billing.stripe;
    const price = account.addPrice({ currency: 'usd' });

    for (const _ of [1, 2]) {
      const answer = await checkOut(browser, price);
      expect(answer).toMatchObject(refusal('CurrencyMismatch'));
      expect(answer.body.currency).toBe('eur');
      expect(answer.headers['retry-after']).toBeUndefined();
    }

    Object.assign(account.prices.get(price) ?? {}, { currency_options: { usd: {}, eur: {} } });
    expect((await checkOut(browser, price)).status).toBe(201);
    const inBoth = account.addPrice({ currency: 'usd', otherCurrencies: ['eur'] });
    expect((await checkOut(browser, inBoth)).status).toBe(201);
  });

  it('is open for a single payment', async () => {
    const { browser } = await formerSubscriber();
    const price = billing.stripe.account.addPrice({ currency: 'usd', isRecurring: false });

    expect((await checkOut(browser, price)).status).toBe(201);
  });
});

describe('a customer whom Stripe does not know', () => {
  it('is BillingModeMismatch at checkout, portal and webhook, stays as it was, and is one again with the right key', async () => {
    const { browser, customer } = await newSubscriber();
    const before = await rowOf(billing, customer);
    const restore = billing.stripe.account.loseCustomer(customer);

    const event = billing.stripe.account.report('invoice.paid', { customer });
    for (const answer of [
      await checkOut(browser, billing.stripe.account.addPrice()),
      await browser.post('/subscription/portal'),
      await deliver(billing.app, event),
    ])
      expect(answer).toMatchObject(refusal('BillingModeMismatch'));
    expect(await rowOf(billing, customer)).toEqual({ ...before, unknown_at: expect.any(Date) });
    expect((await browser.get('/subscription')).body.subscription.status).toBe('active');

    restore();
    await deliverAll(billing);
    expect((await browser.post('/subscription/portal')).status).toBe(201);
    expect((await rowOf(billing, customer)).unknown_at).toBeNull();
  });

  it('is asked for by /cron once a day, also where seats or address would have to be corrected', async () => {
    const { customer } = await newSubscriber();
    billing.stripe.account.loseCustomer(customer);
    const set = (what: string) =>
      billing.app.database.rows(`UPDATE billing_customers SET ${what} WHERE stripe_customer_id = $1`, [
        customer,
      ]);
    await set("read_at = now() - interval '2 days'");

    expect((await runCron(billing)).reconciled).toEqual({ customers: 1, corrected: 0, failed: 1 });
    await set("email = 'former@example.com'");
    expect((await runCron(billing)).reconciled).toEqual({ customers: 0, corrected: 0, failed: 0 });
    await set("unknown_at = now() - interval '25 hours'");
    expect((await runCron(billing)).reconciled).toMatchObject({ customers: 1, failed: 1 });
  });
});

describe('a customer of the other mode', () => {
  /** As after a change of a live key for a test key. */
  const madeLive = async () => {
    const subscriber = await newSubscriber();
    const restore = billing.stripe.account.loseCustomer(subscriber.customer);
    await set(
      subscriber,
      "livemode = true, read_at = now() - interval '2 days', email = 'former@example.com'",
    );
    return { ...subscriber, restore };
  };
  const set = ({ customer }: Subscriber, what: string) =>
    billing.app.database.rows(`UPDATE billing_customers SET ${what} WHERE stripe_customer_id = $1`, [
      customer,
    ]);

  it('keeps the mode in which Stripe made it, from the start and from each reading', async () => {
    const subscriber = await newSubscriber();
    expect((await rowOf(billing, subscriber.customer)).livemode).toBe(false);

    await set(subscriber, 'livemode = NULL');
    await deliver(
      billing.app,
      billing.stripe.account.report('invoice.paid', { customer: subscriber.customer }),
    );
    expect((await rowOf(billing, subscriber.customer)).livemode).toBe(false);
  });

  it('is BillingModeMismatch at checkout, portal and reading, and Stripe is not asked for it', async () => {
    const { browser, customer, restore } = await madeLive();
    const before = await rowOf(billing, customer);
    const root = await loggedInAs(billing.app, 'sys_admin');
    const price = billing.stripe.account.addPrice();
    billing.stripe.calmDown();

    for (const answer of [
      await checkOut(browser, price),
      await browser.post('/subscription/portal'),
      await root.post(`/subscription/customers/${before.id}/reconcile`),
    ])
      expect(answer).toMatchObject(refusal('BillingModeMismatch'));

    expect(billing.stripe.requests.filter(({ path }) => !path.startsWith('/v1/prices'))).toEqual([]);
    expect(await rowOf(billing, customer)).toEqual(before);
    restore();
  });

  it('is left out by /cron, and read again once the key is of its mode', async () => {
    const subscriber = await madeLive();
    expect((await runCron(billing)).reconciled).toEqual({ customers: 0, corrected: 0, failed: 0 });

    subscriber.restore();
    await set(subscriber, 'livemode = false');
    expect((await runCron(billing)).reconciled).toMatchObject({ customers: 1, failed: 0 });
  });

  it('is shown to a SYSTEM_ADMIN', async () => {
    const { customer, restore } = await madeLive();
    const { data, mode } = (await (await loggedInAs(billing.app, 'sys_admin')).get('/subscription/customers'))
      .body;

    expect(mode).toBe('test');
    expect(data).toContainEqual(
      expect.objectContaining({ stripe_customer_id: customer, livemode: true, unknown_at: null }),
    );
    restore();
  });
});

describe('a hundred refusals of each kind', () => {
  it('are answered at once, Stripe is asked for none twice, and nobody loses their customer', async () => {
    const [euro, live] = [await formerSubscriber(), await newSubscriber()];
    const { account } = billing.stripe;
    await billing.app.database.rows(
      'UPDATE billing_customers SET livemode = true WHERE stripe_customer_id = $1',
      [live.customer],
    );
    const price = account.addPrice({ currency: 'jpy' });
    billing.stripe.calmDown();

    for (let time = 0; time < 100; time++) {
      expect(await checkOut(euro.browser, price)).toMatchObject(refusal('CurrencyMismatch'));
      expect(await checkOut(live.browser, price)).toMatchObject(refusal('BillingModeMismatch'));
    }

    expect(billing.stripe.count('POST', /checkout\/sessions$/)).toBe(100);
    expect(billing.stripe.count('GET', /prices/)).toBe(200);
    for (const { browser, customer } of [euro, live]) {
      const { id } = (await browser.get('/users/me')).body.user;
      expect((await rowOf(billing, customer)).user_id).toBe(id);
    }
    expect(billing.stripe.count('POST', /customers/)).toBe(0);
  });
});

describe('a payment that Stripe declines', () => {
  it('is PaymentProviderRefusal, and the log has the id of the request at Stripe', async () => {
    const { browser } = await newSubscriber();
    billing.stripe.trouble = ({ path }) =>
      path.includes('billing_portal')
        ? { status: 402, type: 'card_error', code: 'card_declined' }
        : undefined;
    const logged = billing.app.log.length;

    const answer = await browser.post('/subscription/portal');

    expect(answer).toMatchObject(refusal('PaymentProviderRefusal'));
    expect(billing.app.log.slice(logged).join()).toMatch(
      /"event":"stripe.refused".+?"stripe_request":"req_\w+"/,
    );
  });

  it.each([
    [401, 'authentication_error'],
    [403, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
  ])('is a failure where Stripe answers %i, which may pass', async (status, type) => {
    const { browser } = await newSubscriber();
    billing.stripe.trouble = ({ path }) => (path.includes('billing_portal') ? { status, type } : undefined);

    const answer = await browser.post('/subscription/portal');

    expect(answer).toMatchObject({ status: 502, body: { code: 'PaymentProviderError' } });
    expect(answer.headers['retry-after']).toBe('5');
  });
});

describe('a customer who was deleted at Stripe', () => {
  it('has no portal, although no event has reported it, and may check out again', async () => {
    const { browser, customer } = await newSubscriber();
    billing.stripe.account.deleteCustomer(customer);
    billing.stripe.account.events.length = 0;

    expect(await browser.post('/subscription/portal')).toMatchObject(refusal('NoSubscription'));
    expect((await checkOut(browser, billing.stripe.account.addPrice())).status).toBe(201);
  });

  it('is made anew when the deletion came before the answer that named it', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();
    billing.stripe.trouble = ({ method, path }) =>
      method === 'POST' && path === '/v1/customers' ? 'lose' : undefined;
    expect((await checkOut(browser, price)).status).toBe(502);
    billing.stripe.calmDown();
    const [lost] = [...billing.stripe.account.customers.keys()].slice(-1);
    billing.stripe.account.deleteCustomer(lost ?? '');

    expect((await checkOut(browser, price)).status).toBe(201);
    expect((await customersOf(billing, browser))[0].stripe_customer_id).not.toBe(lost);
  });
});

describe('an address that Stripe does not take', () => {
  it('keeps nobody from paying, and is not sent again and again', async () => {
    const browser = await loggedIn(billing.app, await verified(billing.app, { email: 'jürgen@example.com' }));
    const { body, status } = await checkOut(browser, billing.stripe.account.addPrice());

    expect(status).toBe(201);
    const { customer } = billing.stripe.account.session(body.id);
    expect(billing.stripe.account.customers.get(customer)?.email).toBeUndefined();
    expect((await runCron(billing)).reconciled.failed).toBe(0);
  });
});

/** What Stripe answers to a request that it does not take. */
const REFUSAL = { status: 400, type: 'invalid_request_error' };

/** Where Stripe may refuse what is asked of it: the path at Stripe, and a request that needs it. */
const REFUSED: Record<string, [RegExp, (customer: Subscriber) => Promise<Answer>]> = {
  'the checkout': [
    /checkout/,
    ({ browser }) => checkOut(browser, billing.stripe.account.addPrice({ isRecurring: false })),
  ],
  'the portal': [/billing_portal/, ({ browser }) => browser.post('/subscription/portal')],
  'the webhook': [
    /subscriptions/,
    ({ customer }) => deliver(billing.app, billing.stripe.account.report('invoice.paid', { customer })),
  ],
  'the reconciliation of a customer': [
    /subscriptions/,
    async ({ customer }) => {
      const { id } = await rowOf(billing, customer);
      return (await loggedInAs(billing.app, 'sys_admin')).post(`/subscription/customers/${id}/reconcile`);
    },
  ],
};

describe('any other refusal of Stripe', () => {
  it.each(Object.entries(REFUSED))(
    'is PaymentProviderRefusal at %s, without Retry-After, and the log has the reason',
    async (_, [path, ask]) => {
      const subscriber = await newSubscriber();
      billing.stripe.trouble = (request) => (path.test(request.path) ? REFUSAL : undefined);
      const logged = billing.app.log.length;

      const answer = await ask(subscriber);

      expect(answer).toMatchObject(refusal('PaymentProviderRefusal'));
      expect(answer.headers['retry-after']).toBeUndefined();
      expect(billing.app.log.slice(logged).join()).toContain('Something is wrong at Stripe.');
    },
  );

  it('loses no event: Stripe sends it again, and it counts once Stripe can be asked', async () => {
    const { browser, id, customer } = await newSubscriber();
    const { account } = billing.stripe;
    account.updateSubscription(id, { status: 'unpaid' });
    const [event] = account.events.splice(0).slice(-1) as [Event];
    billing.stripe.trouble = ({ path }) => (path.includes('subscriptions') ? REFUSAL : undefined);
    const before = await rowOf(billing, customer);

    expect(await deliver(billing.app, event)).toMatchObject(refusal('PaymentProviderRefusal'));
    expect(await rowOf(billing, customer)).toEqual(before);
    billing.stripe.calmDown();
    expect((await deliver(billing.app, event)).status).toBe(200);
    expect((await browser.get('/subscription')).body.subscription.status).toBe('unpaid');
  });
});
