import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventsAfter } from '../support/audit.js';
import { type Billing, checkOut, deliverAll, runCron, startBilling, subscribe } from '../support/billing.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import type { Subscription } from '../support/stripe/objects.js';

let billing: Billing;
let org: TestOrg;
let price: string;
let subscription: Subscription;
beforeAll(async () => {
  billing = await startBilling();
  org = await foundOrg(billing.app);
  price = billing.stripe.account.addPrice();
});
afterAll(() => billing.stop());

/** What the service records of itself, for the organization. */
const ofTheService = () => ({ actor_id: null, user_id: null, org_id: org.id, ip: null, user_agent: null });
/** The events that the service records when Stripe reports a happening. */
const eventsOf = (happening: () => unknown) =>
  eventsAfter(billing.app, async () => {
    happening();
    await deliverAll(billing);
  });

describe('checkout.started', () => {
  it('names the user who asked to pay, and the price', async () => {
    const events = await eventsAfter(billing.app, () => checkOut(org.member, price));

    expect(events).toMatchObject([
      {
        type: 'checkout.started',
        actor_id: org.member.id,
        org_id: org.id,
        ip: '127.0.0.1',
        details: { price_id: price },
      },
    ]);
  });
});

describe('subscription.changed', () => {
  it('names the state in which a subscription begins', async () => {
    const [, changed, ...others] = await eventsAfter(billing.app, async () => {
      subscription = await subscribe(billing, org.admin, price);
    });

    expect(others).toEqual([]);
    expect(changed).toMatchObject({
      type: 'subscription.changed',
      ...ofTheService(),
      details: {
        former_status: null,
        status: 'active',
        price_id: price,
        quantity: 3,
        cancel_at_period_end: false,
      },
    });
  });

  it('is recorded once for events that come twice, and not for those that change nothing', async () => {
    const { account } = billing.stripe;
    const events = await eventsOf(() => {
      account.updateSubscription(subscription.id, { cancel_at_period_end: true });
      account.events.push(...account.events);
      account.report('invoice.paid', { customer: subscription.customer });
    });

    expect(events).toMatchObject([
      { type: 'subscription.changed', details: { status: 'active', cancel_at_period_end: true } },
    ]);
  });

  it('is recorded by the hourly run too, where no event came', async () => {
    billing.stripe.account.updateSubscription(subscription.id, { status: 'past_due' });
    billing.stripe.account.events.length = 0;
    await billing.app.database.rows(`UPDATE billing_customers SET read_at = now() - interval '25 hours'`);

    const events = await eventsAfter(billing.app, () => runCron(billing));

    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'subscription.changed',
        ...ofTheService(),
        details: expect.objectContaining({ former_status: 'active', status: 'past_due' }),
      }),
    );
  });

  it('names the owner of the subscription when the customer is deleted at Stripe', async () => {
    const stranger = await foundOrg(billing.app);
    const { customer } = await subscribe(billing, stranger.admin, price);

    const [event] = await eventsOf(() => billing.stripe.account.deleteCustomer(customer));

    expect(event).toMatchObject({
      type: 'subscription.changed',
      org_id: stranger.id,
      details: { former_status: 'active', status: null },
    });
  });
});

describe('portal.opened', () => {
  it('names the user who opened the portal', async () => {
    const [event] = await eventsAfter(billing.app, () => org.admin.post('/subscription/portal'));

    expect(event).toMatchObject({ type: 'portal.opened', actor_id: org.admin.id, org_id: org.id });
  });
});
