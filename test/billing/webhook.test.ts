import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { type Billing, deliverAll, rowOf, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { inLockStep } from '../support/lock-step.js';
import type { Event, Subscription } from '../support/stripe/objects.js';
import { deliver } from '../support/stripe/webhooks.js';
import { TestApp } from '../support/test-app.js';

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
afterEach(() => billing.stripe.calmDown());

const seen = async () => (await browser.get('/subscription')).body.subscription;
const entries = (event: Event) =>
  billing.app.database.value('SELECT count(*)::int FROM stripe_events WHERE id = $1', [event.id]);
const account = () => billing.stripe.account;
const lastEvent = () => account().events.splice(0).at(-1) as Event;

describe('an event', () => {
  it.each([
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
    'checkout.session.async_payment_failed',
    'customer.subscription.created',
    'customer.subscription.updated',
    'customer.subscription.deleted',
    'customer.subscription.paused',
    'customer.subscription.resumed',
    'invoice.paid',
    'invoice.payment_failed',
    'customer.updated',
    'customer.deleted',
  ])('%s makes the subscription what it is at Stripe now, whatever it says itself', async (kind) => {
    account().updateSubscription(subscription.id, { status: 'unpaid' });
    account().events.length = 0;
    const { customer } = subscription;
    const reported = { ...subscription, status: 'trialing', customer };
    const event = account().report(
      kind,
      kind.startsWith('customer.') && !kind.includes('sub') ? { id: customer } : reported,
    );

    expect((await deliver(billing.app, event)).status).toBe(200);

    expect((await seen()).status).toBe('unpaid');
    expect(await entries(event)).toBe(1);
  });

  it('may hold its customer instead of naming them', async () => {
    account().updateSubscription(subscription.id, { status: 'paused' });
    const event = account().report('invoice.paid', { customer: { id: subscription.customer } });

    await deliver(billing.app, event);

    expect((await seen()).status).toBe('paused');
  });

  it.each([
    'charge.refunded',
    'customer.created',
    'invoice.finalized',
    'payment_intent.succeeded',
    'toString',
  ])('of the unknown kind %s is answered with 200 and ignored', async (kind) => {
    account().updateSubscription(subscription.id, { status: 'unpaid' });
    const event = account().report(kind, { id: subscription.customer, customer: subscription.customer });

    expect((await deliver(billing.app, event)).status).toBe(200);

    expect([(await seen()).status, await entries(event)]).toEqual(['active', 0]);
  });

  it('counts once, also when it comes often and at once', async () => {
    account().updateSubscription(subscription.id, { status: 'unpaid' });
    const event = lastEvent();
    billing.stripe.requests.length = 0;

    const answers = await inLockStep(
      billing.app.database,
      {
        sql: 'SELECT 1 FROM billing_customers WHERE stripe_customer_id = $1 FOR UPDATE',
        parameters: [subscription.customer],
        waiting: 3,
      },
      () => [1, 2, 3].map(() => deliver(billing.app, event)),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([(await seen()).status, await entries(event)]).toEqual(['unpaid', 1]);

    const asked = billing.stripe.requests.length;
    expect((await deliver(billing.app, event)).status).toBe(200);
    expect(billing.stripe.requests.length).toBe(asked);
  });

  it('of an unknown customer, or of none, changes nothing', async () => {
    const stranger = account().addCustomer();
    account().addSubscription(stranger.id, account().addPrice(), 1);
    const events = [
      ...account()
        .events.splice(0)
        .filter(({ type }) => type === 'customer.subscription.created'),
      account().report('checkout.session.completed', { id: 'cs_1', customer: null }),
      account().report('invoice.paid', {}),
    ];
    const before = await billing.app.database.rows('SELECT * FROM billing_customers ORDER BY id');

    for (const event of events) expect((await deliver(billing.app, event)).status).toBe(200);

    expect(await billing.app.database.rows('SELECT * FROM billing_customers ORDER BY id')).toEqual(before);
    for (const event of events) expect(await entries(event)).toBe(0);
  });

  it('cannot name the user to whom it belongs', async () => {
    const victim = await loggedIn(billing.app);
    const theirs = await subscribe(billing, victim);
    const { user_id, org_id } = await rowOf(billing, theirs.customer);
    account().updateCustomer(subscription.customer, {
      metadata: { user_id, org_id, customer: theirs.customer },
    });
    account().endSubscription(subscription.id);
    await deliverAll(billing);

    expect((await seen()).status).toBe('canceled');
    expect((await victim.get('/subscription')).body.subscription.status).toBe('active');
  });

  it('of live mode is ignored by a service with a test key, and the log says so', async () => {
    account().updateSubscription(subscription.id, { status: 'unpaid' });
    const event = account().report('customer.subscription.updated', subscription, { livemode: true });

    expect((await deliver(billing.app, event)).status).toBe(200);

    expect([(await seen()).status, await entries(event)]).toEqual(['active', 0]);
    expect(billing.app.log.join()).toContain('"event":"stripe.event_of_other_mode"');
  });
});

describe('an event whose effect cannot be stored', () => {
  it('is not noted when the customer could not be written', async () => {
    account().updateSubscription(subscription.id, { status: 'unpaid' });
    const event = lastEvent();
    await billing.app.database.rows(
      `ALTER TABLE billing_customers ADD CONSTRAINT no CHECK (status <> 'unpaid') NOT VALID`,
    );

    const answer = await deliver(billing.app, event);
    await billing.app.database.rows('ALTER TABLE billing_customers DROP CONSTRAINT no');

    expect([answer.status, await entries(event)]).toEqual([500, 0]);
    expect((await deliver(billing.app, event)).status).toBe(200);
    expect((await seen()).status).toBe('unpaid');
  });
});

describe('readings that overtake one another', () => {
  it('leave what the one that began last has read', async () => {
    account().updateSubscription(subscription.id, { status: 'unpaid' });
    const [early, late] = [lastEvent(), account().report('invoice.paid', subscription)];
    const answer = billing.stripe.hold(({ path }) => path === '/v1/subscriptions');

    const first = deliver(billing.app, early);
    await answer.reached;
    account().updateSubscription(subscription.id, { status: 'past_due' });
    await deliver(billing.app, late);
    answer.release();
    await first;

    expect((await seen()).status).toBe('past_due');
    expect([await entries(early), await entries(late)]).toEqual([1, 1]);
  });
});

describe('the webhook of a service with a live key', () => {
  it('ignores test events', async () => {
    const live = await TestApp.start(
      { ...billing.stripe.variables, SVC_STRIPE_SECRET_KEY: 'rk_live_1' },
      { database: billing.app.database },
    );
    account().updateSubscription(subscription.id, { status: 'unpaid' });
    const event = lastEvent();

    expect((await deliver(live, event)).status).toBe(200);
    await live.nest.close();

    expect([(await seen()).status, await entries(event)]).toEqual(['active', 0]);
  });
});
