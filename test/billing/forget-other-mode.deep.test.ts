import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { eventsAfter } from '../support/audit.js';
import { type Billing, checkOut, customersOf, rowOf, startBilling, subscribe } from '../support/billing.js';
import { callCommand } from '../support/command-line.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());

async function newSubscriber() {
  const browser = await loggedIn(billing.app);
  const { customer } = await subscribe(billing, browser);
  return { browser, customer };
}

describe('billing forget-other-mode', () => {
  const forget = (words: string[] = [], variables: Record<string, string> = {}) =>
    callCommand(billing.app, ['billing', 'forget-other-mode', ...words], {
      ...billing.stripe.variables,
      ...variables,
    });
  beforeEach(() => billing.app.database.rows('TRUNCATE billing_customers CASCADE'));

  it('forgets those of the other mode and those that Stripe does not know, and no other', async () => {
    const [live, unknown, known] = [await newSubscriber(), await newSubscriber(), await newSubscriber()];
    await billing.app.database.rows(
      `UPDATE billing_customers SET livemode = stripe_customer_id = $1, unknown_at = CASE WHEN stripe_customer_id = $2 THEN now() END`,
      [live.customer, unknown.customer],
    );
    const rows = () => Promise.all([live, unknown, known].map(({ customer }) => rowOf(billing, customer)));
    const before = await rows();

    const counted = await forget();
    expect([counted.code, counted.output]).toEqual([0, expect.stringContaining('2 customers')]);
    expect(await rows()).toEqual(before);

    const events = await eventsAfter(billing.app, async () => {
      expect((await forget(['--yes'])).output).toContain('2 customers forgotten');
    });
    const gone = { org_id: null, user_id: null, status: null, subscription_id: null };
    expect(await rows()).toMatchObject([gone, gone, before[2]]);
    expect(events).toMatchObject(
      [live, unknown].map(() => ({
        type: 'subscription.changed',
        actor_id: null,
        details: { former_status: 'active', status: null },
      })),
    );

    const price = billing.stripe.account.addPrice();
    for (const { browser, customer } of [live, unknown]) {
      expect((await checkOut(browser, price)).status).toBe(201);
      expect((await customersOf(billing, browser))[0].stripe_customer_id).not.toBe(customer);
    }
    expect(await checkOut(known.browser, price)).toMatchObject({
      status: 409,
      body: { code: 'AlreadySubscribed' },
    });
  });

  it('does nothing without a key, with which nobody knows the mode', async () => {
    const { customer } = await newSubscriber();
    await billing.app.database.rows('UPDATE billing_customers SET livemode = true');
    const before = await rowOf(billing, customer);

    const { code, output } = await forget(['--yes'], { SVC_STRIPE_SECRET_KEY: '' });

    expect([code, output]).toEqual([1, expect.stringContaining('SVC_STRIPE_SECRET_KEY is not set')]);
    expect(await rowOf(billing, customer)).toEqual(before);
  });
});
