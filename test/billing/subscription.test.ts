import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { type Billing, deliverAll, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import type { Subscription } from '../support/stripe/objects.js';

let billing: Billing;
let browser: Browser & { email: string };
let subscription: Subscription;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
beforeEach(async () => {
  browser = await loggedIn(billing.app);
  subscription = await subscribe(billing, browser);
});

const seen = async () => (await browser.get('/subscription')).body.subscription;
const account = () => billing.stripe.account;

describe('GET /subscription', () => {
  it('shows what the service read from Stripe', async () => {
    const [item] = subscription.items.data;

    expect(await seen()).toEqual({
      status: 'active',
      price_id: item?.price.id,
      quantity: 1,
      current_period_end: new Date((item?.current_period_end ?? 0) * 1000).toISOString(),
      cancel_at_period_end: false,
      past_due_since: null,
    });
  });

  it('shows the price that the user subscribed to, not one that an operator added in the dashboard', async () => {
    const price = account().prices.get(account().addPrice());
    const [item] = subscription.items.data;
    if (!item || !price) throw new Error('There is nothing to add to');
    subscription.items.data.unshift({
      ...item,
      id: 'si_added',
      created: item.created + 1,
      quantity: 9,
      price,
    });
    account().updateSubscription(subscription.id, {});
    await deliverAll(billing);

    expect(await seen()).toMatchObject({ price_id: item.price.id, quantity: 1 });
  });

  it('is null for a user who never had one, and asks for a session', async () => {
    expect((await (await loggedIn(billing.app)).get('/subscription')).body).toEqual({ subscription: null });
    expect((await billing.app.browser().get('/subscription')).status).toBe(401);
  });

  it.each([
    ['by its flag', () => ({ cancel_at_period_end: true }), true],
    ['by the day, as the portal does', () => ({ cancel_at: endOfPeriod() }), true],
    ['not, by a later day', () => ({ cancel_at: endOfPeriod() + 86_400 }), false],
  ])('says that it ends with the period %s', async (_, changes, ends) => {
    account().updateSubscription(subscription.id, changes());
    await deliverAll(billing);

    expect((await seen()).cancel_at_period_end).toBe(ends);
  });

  it('says since when a payment is missing, until it is paid', async () => {
    const since = Math.floor(Date.now() / 1000) - 86_400;
    account().failPayment(subscription.id, since);
    await deliverAll(billing);
    expect(await seen()).toMatchObject({
      status: 'past_due',
      past_due_since: new Date(since * 1000).toISOString(),
    });

    account().settle(subscription.id);
    await deliverAll(billing);
    expect((await seen()).past_due_since).toBeNull();
  });

  const endOfPeriod = () => subscription.items.data[0]?.current_period_end ?? 0;
});

describe('several subscriptions of one customer', () => {
  it('count as the one that gives most access, and of equals as the newest', async () => {
    const { customer } = subscription;
    const add = (status: string) =>
      account().addSubscription(customer, account().addPrice(), 1, status).items.data[0]?.price.id;
    const shown = async () => {
      await deliverAll(billing);
      return (await seen()).price_id;
    };

    const newer = add('active');
    expect(await shown()).toBe(newer);
    expect(billing.app.log.join()).toContain('"event":"customer.subscribed_twice"');
    add('incomplete');
    add('past_due');
    add('canceled');
    expect(await shown()).toBe(newer);
    account().endSubscription(subscription.id);
    for (const { id, status } of account().subscriptionsOf(customer)) {
      if (status === 'active') account().endSubscription(id);
    }
    expect(await shown()).not.toBe(newer);
    expect((await seen()).status).toBe('past_due');
  });
});
