import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { type Billing, rowOf, runCron, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import type { Subscription } from '../support/stripe/objects.js';
import { TestApp } from '../support/test-app.js';

let billing: Billing;
let browser: Browser;
let subscription: Subscription;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());
beforeEach(async () => {
  await billing.app.database.rows('DELETE FROM billing_customers');
  browser = await loggedIn(billing.app);
  subscription = await subscribe(billing, browser);
});
afterEach(() => billing.stripe.calmDown());

const cron = (query = '') => runCron(billing, query);
/** No customer was read for so long. */
const age = (interval: string) =>
  billing.app.database.rows('UPDATE billing_customers SET read_at = now() - $1::interval', [interval]);
/** Something happens that no event reports. */
const secretly = (status: string) => billing.stripe.account.updateSubscription(subscription.id, { status });
const shownStatus = async () => (await browser.get('/subscription')).body.subscription?.status;

describe('/cron', () => {
  it('reads a customer of whom no event came for a day, and not before', async () => {
    secretly('unpaid');
    await age('23 hours');
    expect((await cron()).reconciled).toEqual({ customers: 0, corrected: 0, failed: 0 });
    expect(await shownStatus()).toBe('active');

    await age('25 hours');
    expect((await cron()).reconciled).toEqual({ customers: 1, corrected: 0, failed: 0 });
    expect(await shownStatus()).toBe('unpaid');
    expect((await cron()).reconciled.customers).toBe(0);
  });

  it('finds a subscription that no event ever reported', async () => {
    const late = await loggedIn(billing.app);
    const { body } = await late.post('/subscription/checkout', {
      price_id: billing.stripe.account.addPrice(),
    });
    billing.stripe.account.completeSession(body.id);
    await age('25 hours');

    expect((await cron()).reconciled.customers).toBe(2);
    expect((await late.get('/subscription')).body.subscription.status).toBe('active');
  });

  it('reads a customer who was deleted at Stripe once more, and then never again', async () => {
    billing.stripe.account.deleteCustomer(subscription.customer);
    await age('25 hours');

    expect((await cron()).reconciled).toEqual({ customers: 1, corrected: 0, failed: 0 });

    expect((await browser.get('/subscription')).body).toEqual({ subscription: null });
    await age('25 hours');
    expect((await cron()).reconciled.customers).toBe(0);
  });

  it('keeps a customer whom Stripe does not know, as after a change of the key', async () => {
    billing.stripe.account.customers.delete(subscription.customer);
    await age('25 hours');

    expect((await cron()).reconciled).toEqual({ customers: 1, corrected: 0, failed: 1 });

    expect(await rowOf(billing, subscription.customer)).toMatchObject({ status: 'active' });
    expect(await shownStatus()).toBe('active');
  });

  it('only counts with ?dry_run=true', async () => {
    secretly('unpaid');
    await age('25 hours');
    billing.stripe.requests.length = 0;

    expect((await cron('?dry_run=true')).reconciled).toEqual({ customers: 1, corrected: 0, failed: 0 });
    expect([await shownStatus(), billing.stripe.requests]).toEqual(['active', []]);
  });

  it('prunes as always while Stripe is down, and skips the customers it cannot read', async () => {
    for (let other = 0; other < 7; other++) await subscribe(billing, await loggedIn(billing.app));
    secretly('unpaid');
    await age('25 hours');
    await billing.app.database.rows(`UPDATE stripe_events SET expires_at = now() - interval '1 second'`);
    const entries = await billing.app.database.value('SELECT count(*)::int FROM stripe_events');
    billing.stripe.trouble = () => 'refuse';

    expect(await cron()).toMatchObject({
      pruned: { stripe_events: entries },
      reconciled: { customers: 8, corrected: 0, failed: 8 },
      complete: false,
    });
    billing.stripe.trouble = ({ path }) =>
      path.startsWith('/v1/customers/') && !path.endsWith(subscription.customer) ? 'refuse' : undefined;
    expect((await cron()).reconciled).toEqual({ customers: 8, corrected: 0, failed: 7 });
    expect(await shownStatus()).toBe('unpaid');
  });

  it('prunes the keys of attempts that are over, and keeps the ledger for 30 days', async () => {
    expect((await cron()).pruned).toMatchObject({ stripe_events: 0, stripe_attempts: 0 });
    const keptDays = 'SELECT min(expires_at) > now() + interval $1 FROM stripe_events'.replace(
      '$1',
      `'29 days'`,
    );
    expect(await billing.app.database.value(keptDays)).toBe(true);

    await billing.app.database.rows(`UPDATE stripe_attempts SET expires_at = now() - interval '1 second'`);

    expect((await cron()).pruned.stripe_attempts).toBeGreaterThan(0);
  });

  it('reconciles nothing where billing is off', async () => {
    const variables = { SVC_CRON_SECRET: billing.app.environment.cronSecret?.[0] ?? '' };
    const off = await TestApp.start(variables, { database: billing.app.database });
    await age('25 hours');
    const { reconciled, complete } = await runCron({ app: off });
    await off.nest.close();

    expect([reconciled, complete]).toEqual([null, true]);
  });
});
