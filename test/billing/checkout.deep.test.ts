import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs } from '../support/accounts.js';
import { type Billing, checkOut, customersOf, deliverAll, startBilling } from '../support/billing.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
beforeEach(() => billing.stripe.calmDown());

const sessionOf = (id: string) => billing.stripe.account.session(id);

describe('POST /subscription/checkout', () => {
  it('opens a subscription checkout of Stripe for a recurring price', async () => {
    const browser = await loggedIn(billing.app);
    const price = billing.stripe.account.addPrice();

    const { status, body } = await checkOut(browser, price);

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
    const [customer] = await customersOf(billing, browser);
    expect(customer.stripe_customer_id).toBe(session.customer);
    expect(billing.stripe.account.customers.get(session.customer)).toMatchObject({
      email: browser.email,
      metadata: { user_id: customer.user_id },
    });
  });

  it('opens a payment checkout for a price that does not recur, which never becomes a subscription', async () => {
    const browser = await loggedIn(billing.app);
    const { body } = await checkOut(browser, billing.stripe.account.addPrice({ isRecurring: false }));

    expect(sessionOf(body.id).mode).toBe('payment');
    billing.stripe.account.completeSession(body.id);
    await deliverAll(billing);

    expect((await browser.get('/subscription')).body).toEqual({ subscription: null });
    expect((await browser.post('/subscription/portal')).body.code).toBe('NoSubscription');
  });

  it('asks for no quantity where the price is metered', async () => {
    const { body } = await checkOut(
      await loggedIn(billing.app),
      billing.stripe.account.addPrice({ isMetered: true }),
    );

    expect(sessionOf(body.id).line_items[0]?.quantity).toBeUndefined();
  });

  it('asks for a seat per member of an organization, whichever of them checks out', async () => {
    const org = await foundOrg(billing.app, 'Analytical');
    const price = billing.stripe.account.addPrice();

    const { body } = await checkOut(org.readonly, price);

    expect(sessionOf(body.id).line_items).toEqual([{ price, quantity: 3 }]);
    expect(billing.stripe.account.customers.get(sessionOf(body.id).customer)).toMatchObject({
      name: 'Analytical',
      email: org.admin.email,
      metadata: { org_id: org.id },
    });
  });

  it('asks for the seat of a member who is disabled, too', async () => {
    const [org, root] = [await foundOrg(billing.app), await loggedInAs(billing.app, 'sys_admin')];
    await root.patch(`/users/${org.member.id}`, { disabled: true });

    const { body } = await checkOut(org.admin, billing.stripe.account.addPrice());

    expect(sessionOf(body.id).line_items[0]?.quantity).toBe(3);
  });

  it('asks for a session', async () => {
    expect((await checkOut(billing.app.browser(), 'price_1')).body.code).toBe('Unauthenticated');
  });
});

describe('the price of a checkout', () => {
  it.each([
    ['does not exist', () => 'price_of_nothing'],
    ['is inactive', () => billing.stripe.account.addPrice({ isActive: false })],
    ['is of an inactive product', () => billing.stripe.account.addPrice({ isProductActive: false })],
  ])('is UnknownPrice when it %s, and nothing is made', async (_, price) => {
    const browser = await loggedIn(billing.app);

    expect(await checkOut(browser, price())).toMatchObject({ status: 400, body: { code: 'UnknownPrice' } });

    expect(await customersOf(billing, browser)).toEqual([]);
    expect(billing.stripe.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it.each(['', '..', '../customers', 'price_1?expand=x', 'price 1', 'p'.repeat(256)])(
    'is refused by its form when it is %j, and Stripe is not asked',
    async (price) => {
      const { status, body } = await checkOut(await loggedIn(billing.app), price);

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
    for (const price of [other, inactive, listed]) answers.push((await checkOut(browser, price)).status);
    await choosy.nest.close();

    expect(answers).toEqual([400, 400, 201]);
  });
});
