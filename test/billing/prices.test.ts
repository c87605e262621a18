import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { type Billing, startBilling } from '../support/billing.js';
import { foundOrg } from '../support/orgs.js';
import { TestApp } from '../support/test-app.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
beforeEach(() => billing.stripe.calmDown());

const addPrice: Billing['stripe']['account']['addPrice'] = (details) =>
  billing.stripe.account.addPrice(details);
const reads = () => billing.stripe.count('GET', /^\/v1\/prices\//);

describe('GET /subscription/prices', () => {
  it('says what one price costs a user who belongs to no organization', async () => {
    const browser = await loggedIn(billing.app);
    const id = addPrice({ name: 'Difference Engine', description: 'Sums and differences', months: 12 });

    expect(await browser.get(`/subscription/prices?price_id=${id}`)).toMatchObject({
      status: 200,
      body: {
        data: [
          {
            price_id: id,
            product: 'Difference Engine',
            description: 'Sums and differences',
            currency: 'eur',
            unit_amount: '9.00',
            recurring: { interval: 'month', interval_count: 12 },
            is_metered: false,
            is_per_seat: false,
            quantity: 1,
            total: '9.00',
          },
        ],
      },
    });
  });

  it('counts the seats of an organization for each of its members, whatever their role', async () => {
    const org = await foundOrg(billing.app);
    const id = addPrice({ amount: '1250' });

    for (const browser of [org.admin, org.readonly])
      expect((await browser.get(`/subscription/prices?price_id=${id}`)).body.data).toMatchObject([
        { unit_amount: '12.50', is_per_seat: true, quantity: 3, total: '37.50' },
      ]);
  });

  it.each([
    ['a currency without a smaller coin', { currency: 'jpy', amount: '900' }, '900', '2700'],
    ['a currency of thousandths', { currency: 'kwd', amount: '900' }, '0.900', '2.700'],
    ['a part of the smallest coin', { amount: '0.5' }, '0.005', '0.02'],
    ['steps', { amount: null }, null, null],
    ['packages', { packageOf: 10 }, null, null],
    ['use', { isMetered: true, amount: '2' }, '0.02', null],
    ['one payment', { isRecurring: false }, '9.00', '9.00'],
  ])('knows a price by %s', async (_, details, unit_amount, total) => {
    const org = await foundOrg(billing.app);
    const id = addPrice(details);

    expect((await org.admin.get(`/subscription/prices?price_id=${id}`)).body.data).toMatchObject([
      { unit_amount, total },
    ]);
  });

  it('lists those that the settings name, in their order, without the ones no longer on sale', async () => {
    const [one, gone, other, unnamed] = [addPrice(), addPrice({ isActive: false }), addPrice(), addPrice()];
    const app = await TestApp.start(
      { ...billing.stripe.variables, SVC_STRIPE_PRICE_IDS: [other, 'price_of_nothing', gone, one].join(',') },
      { database: billing.app.database },
    );
    const browser = await loggedIn(app);
    const { body } = await browser.get('/subscription/prices');
    const refused = await browser.get(`/subscription/prices?price_id=${unnamed}`);
    await app.nest.close();

    expect(body.data.map(({ price_id }: { price_id: string }) => price_id)).toEqual([other, one]);
    expect(refused).toMatchObject({ status: 400, body: { code: 'UnknownPrice' } });
  });

  it('lists none where the settings name none', async () => {
    const browser = await loggedIn(billing.app);

    expect((await browser.get('/subscription/prices')).body).toEqual({ data: [] });
    expect(reads()).toBe(0);
  });

  it('asks Stripe once a minute for a price, and at once again after a failure', async () => {
    const browser = await loggedIn(billing.app);
    const path = `/subscription/prices?price_id=${addPrice()}`;
    billing.stripe.trouble = () => ({ status: 400 });
    expect((await browser.get(path)).status).toBe(409);
    billing.stripe.calmDown();

    const answers = await Promise.all([browser.get(path), browser.get(path)]);
    answers.push(await browser.get(path));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(reads()).toBe(1);
  });

  it.each([
    'price_of_nothing',
    addPriceLater({ isActive: false }),
    addPriceLater({ isProductActive: false }),
  ])('refuses a price that is not on sale', async (price) => {
    const browser = await loggedIn(billing.app);
    const id = typeof price === 'string' ? price : price();

    expect(await browser.get(`/subscription/prices?price_id=${id}`)).toMatchObject({
      status: 400,
      body: { code: 'UnknownPrice' },
    });
  });

  it('refuses what is no id, and asks for a session, without a question to Stripe', async () => {
    const browser = await loggedIn(billing.app);

    expect((await browser.get('/subscription/prices?price_id=../customers')).body.code).toBe(
      'ValidationFailed',
    );
    expect((await billing.app.browser().get('/subscription/prices')).status).toBe(401);
    expect(reads()).toBe(0);
  });

  it('is limited for each user', async () => {
    const app = await TestApp.start(
      { ...billing.stripe.variables, SVC_RATE_LIMITS: 'on', SVC_LIMIT_PRICE_PER_USER: '2/1h' },
      { database: billing.app.database },
    );
    const browser = await loggedIn(app);
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await browser.get('/subscription/prices')).status);
    await app.nest.close();

    expect(statuses).toEqual([200, 200, 429]);
  });

  function addPriceLater(details: Parameters<typeof addPrice>[0]) {
    return () => addPrice(details);
  }
});
