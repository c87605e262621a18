import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { type Billing, startBilling, subscribe } from '../support/billing.js';
import type { Event } from '../support/stripe/objects.js';
import { deliver } from '../support/stripe/webhooks.js';

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
afterEach(() => billing.stripe.calmDown());

describe('an event whose effect cannot be stored', () => {
  it.each([
    ['Stripe is down', 'refuse'],
    ['Stripe has failed', { status: 500 }],
    ['Stripe wants fewer requests', { status: 429, code: 'rate_limit' }],
  ] as const)('is asked for again while %s, and counts then', async (_, trouble) => {
    const browser = await loggedIn(billing.app);
    const subscription = await subscribe(billing, browser);
    const { account } = billing.stripe;
    const seen = async () => (await browser.get('/subscription')).body.subscription.status;
    const entries = (event: Event) =>
      billing.app.database.value('SELECT count(*)::int FROM stripe_events WHERE id = $1', [event.id]);

    account.updateSubscription(subscription.id, { status: 'unpaid' });
    const event = account.events.splice(0).at(-1) as Event;

    for (const part of ['/v1/customers', '/v1/subscriptions']) {
      billing.stripe.trouble = ({ path }) => (path.startsWith(part) ? trouble : undefined);
      expect((await deliver(billing.app, event)).status).toBe(502);
      expect([await seen(), await entries(event)]).toEqual(['active', 0]);
    }

    billing.stripe.trouble = () => undefined;
    expect((await deliver(billing.app, event)).status).toBe(200);
    expect([await seen(), await entries(event)]).toEqual(['unpaid', 1]);
  });
});
