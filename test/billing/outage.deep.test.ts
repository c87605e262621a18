import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import { type Billing, customersOf, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { whileCollecting } from '../support/garbage.js';
import type { Trouble } from '../support/stripe/stand-in.js';
import { deliver } from '../support/stripe/webhooks.js';
import { until } from '../support/until.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
afterEach(() => billing.stripe.calmDown());

const checkout = (browser: Browser, payload: object) =>
  billing.app.nest.inject({
    method: 'POST',
    url: '/subscription/checkout',
    headers: { cookie: `session_id=${browser.jar.get('session_id')}` },
    payload,
  });
/** The requests that a first checkout is made of. */
const ASKING: [string, string, RegExp][] = [
  ['for the price', 'GET', /prices/],
  ['for the customer', 'GET', /customers\/\w+$/],
  ['for subscriptions', 'GET', /subscriptions$/],
];
const MAKING: [string, string, RegExp][] = [
  ['to make the customer', 'POST', /customers$/],
  ['to describe the customer', 'POST', /customers\/\w+$/],
  ['to open the checkout', 'POST', /sessions$/],
];

const TROUBLES: [string, Trouble, typeof ASKING][] = [
  ['is down', 'refuse', ASKING],
  ['does its work and its answer is lost', 'lose', MAKING],
  ['answers 500', { status: 500 }, MAKING],
  ['answers 402', { status: 402, code: 'card_declined', type: 'card_error' }, [...ASKING, ...MAKING]],
  ['answers 429', { status: 429, code: 'rate_limit' }, [...ASKING, ...MAKING]],
  ['answers 401', { status: 401 }, [...ASKING, ...MAKING]],
];

/** What a client is answered: only what Stripe refuses for good is no failure that may pass. */
const answerTo = (trouble: Trouble): [number, string] =>
  typeof trouble === 'object' && trouble.status === 402
    ? [409, 'PaymentProviderRefusal']
    : [502, 'PaymentProviderError'];

describe.each(TROUBLES)('while Stripe %s', (_, trouble, steps) => {
  it.each(steps)('when asked %s, a checkout fails, and the next one succeeds', async (_, method, path) => {
    const browser = await loggedIn(billing.app);
    const { account } = billing.stripe;
    const price = account.addPrice();
    const before = [account.customers.size, account.sessions.size];
    billing.stripe.trouble = (request) =>
      request.method === method && path.test(request.path) ? trouble : undefined;

    expectProblem(await checkout(browser, { price_id: price }), ...answerTo(trouble));
    billing.stripe.trouble = () => undefined;
    const answer = await checkout(browser, { price_id: price });

    expect(answer.statusCode).toBe(201);
    expect([account.customers.size, account.sessions.size]).toEqual(before.map((size) => size + 1));
    const session = account.session(answer.json().id);
    const [customer] = await customersOf(billing, browser);
    expect(customer.stripe_customer_id).toBe(session.customer);
    expect(account.customers.get(session.customer)?.email).toBe(browser.email);
  });
});

describe('while Stripe is down', () => {
  it('a request for the portal fails with PaymentProviderError, and the service shows the stored subscription as always', async () => {
    const browser = await loggedIn(billing.app);
    await subscribe(billing, browser);
    billing.stripe.trouble = () => 'refuse';

    expect(await browser.post('/subscription/portal')).toMatchObject({
      status: 502,
      headers: { 'retry-after': '5' },
      body: { code: 'PaymentProviderError' },
    });
    expect((await browser.get('/subscription')).body.subscription.status).toBe('active');
  });

  it('the answer names only the code, and the log has the reason without the key', async () => {
    billing.stripe.trouble = () => ({ status: 401 });
    const browser = await loggedIn(billing.app);

    const body = expectProblem(await checkout(browser, { price_id: 'price_1' }), 502, 'PaymentProviderError');

    expect(Object.keys(body)).not.toContain('stack');
    expect(billing.app.log.join()).toContain('Something is wrong at Stripe.');
    expect(billing.app.log.join()).not.toContain(billing.stripe.variables.SVC_STRIPE_SECRET_KEY);
  });
});

describe('while Stripe never ends an answer, and garbage is collected', () => {
  it('a checkout fails with PaymentProviderError all the same', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();
    billing.stripe.trouble = () => 'drip';

    const answer = await whileCollecting(() => checkout(browser, { price_id: price }));

    expectProblem(answer, 502, 'PaymentProviderError');
  });
});

describe('while Stripe does not answer', () => {
  it('clients who need Stripe get an answer within eleven seconds, and all others are served at once', async () => {
    const [browser, bystander] = [await loggedIn(billing.app), await loggedIn(billing.app)];
    const { customer } = await subscribe(billing, browser);
    const events = Array.from({ length: 20 }, () =>
      billing.stripe.account.report('invoice.paid', { customer }),
    );
    billing.stripe.trouble = () => 'hang';
    billing.stripe.requests.length = 0;
    const startedAt = performance.now();

    const hanging = Promise.all([
      ...Array.from({ length: 12 }, () => browser.post('/subscription/checkout', { price_id: 'price_1' })),
      ...events.map((event) => deliver(billing.app, event)),
    ]);
    await until(() => billing.stripe.requests.length >= 32);
    const served = await Promise.all(Array.from({ length: 30 }, () => bystander.get('/users/me')));
    const servedAfter = performance.now() - startedAt;
    const answers = await hanging;

    expect(served.every(({ status }) => status === 200)).toBe(true);
    expect(servedAfter).toBeLessThan(3_000);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]));
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});
