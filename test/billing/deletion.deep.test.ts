import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, loggedInAs, PASSWORD } from '../support/accounts.js';
import { type Billing, deliverAll, rowOf, runCron, startBilling, subscribe } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { inLockStep } from '../support/lock-step.js';
import { foundOrg, type TestOrg } from '../support/orgs.js';
import { deliver } from '../support/stripe/webhooks.js';
import { until } from '../support/until.js';

let billing: Billing;
let root: Browser;
beforeAll(async () => {
  billing = await startBilling();
  root = await loggedInAs(billing.app, 'sys_admin');
});
afterAll(() => billing.stop());

const deleteAccount = (browser: Browser) =>
  browser.send('DELETE', '/users/me', { current_password: PASSWORD });
const deleteOrg = ({ id }: TestOrg) => root.delete(`/orgs/${id}`);
const refusal = { status: 409, body: { code: 'SubscriptionActive' }, cookies: [] };
const statusAtStripe = (id: string) => billing.stripe.account.subscription(id).status;

/** An organization whose admin is its only member. */
async function loneOrg(): Promise<TestOrg> {
  const org = await foundOrg(billing.app);
  for (const { id } of [org.member, org.readonly]) await org.admin.delete(`/orgs/${org.id}/members/${id}`);
  return org;
}

describe('an organization with a subscription', () => {
  it('does not let its only member leave, until the subscription is cancelled', async () => {
    const org = await loneOrg();
    const { id } = await subscribe(billing, org.admin);
    const leave = () => org.admin.delete(`/orgs/${org.id}/members/${org.admin.id}`);

    expect(await leave()).toMatchObject(refusal);
    expect((await org.admin.get('/users/me')).body.user).toMatchObject({ org_id: org.id, role: 'org_admin' });

    billing.stripe.account.updateSubscription(id, { cancel_at_period_end: true });
    await deliverAll(billing);
    expect((await leave()).status).toBe(204);
  });
});

describe('an account with a subscription', () => {
  it.each(['active', 'trialing', 'past_due', 'unpaid', 'paused'])(
    'is not deleted while that is %s',
    async (status) => {
      const browser = await loggedIn(billing.app);
      const { id } = await subscribe(billing, browser);
      billing.stripe.account.updateSubscription(id, { status });
      await deliverAll(billing);

      const { user } = (await browser.get('/users/me')).body;
      expect(await deleteAccount(browser)).toMatchObject(refusal);
      expect(await root.delete(`/users/${user.id}`)).toMatchObject(refusal);
      expect((await browser.get('/users/me')).status).toBe(200);
    },
  );

  it('is deleted once that has ended; the customer, the last state and the events stay, and belong to no user', async () => {
    const browser = await loggedIn(billing.app);
    const { id, customer } = await subscribe(billing, browser);
    billing.stripe.account.endSubscription(id);
    await deliverAll(billing);
    const entries = await billing.app.database.value('SELECT count(*)::int FROM stripe_events');

    expect((await deleteAccount(browser)).status).toBe(204);

    expect(await rowOf(billing, customer)).toMatchObject({
      user_id: null,
      org_id: null,
      subscription_id: id,
      status: 'canceled',
    });
    expect(await billing.app.database.value('SELECT count(*)::int FROM stripe_events')).toBe(entries);
    expect(billing.stripe.account.customers.get(customer)?.deleted).toBeUndefined();
  });

  it('is deleted when the subscription ends with its period, which the service does not cut short', async () => {
    const browser = await loggedIn(billing.app);
    const { id } = await subscribe(billing, browser);
    billing.stripe.account.updateSubscription(id, { cancel_at_period_end: true });
    await deliverAll(billing);

    expect((await deleteAccount(browser)).status).toBe(204);
    billing.stripe.account.renew(id);
    await deliverAll(billing);

    expect(statusAtStripe(id)).toBe('active');
  });

  it('is deleted while a checkout is open; a subscription paid afterwards is cancelled', async () => {
    const browser = await loggedIn(billing.app);
    const { body } = await browser.post('/subscription/checkout', {
      price_id: billing.stripe.account.addPrice(),
    });
    expect((await deleteAccount(browser)).status).toBe(204);

    const { subscription } = billing.stripe.account.completeSession(body.id);
    await deliverAll(billing);

    await until(() => statusAtStripe(subscription ?? '') === 'canceled');
  });
});

describe('an organization with a subscription', () => {
  it('keeps everything it has, and is not deleted, until the subscription has ended', async () => {
    const org = await foundOrg(billing.app);
    const { id, customer } = await subscribe(billing, org.admin);

    expect(await deleteOrg(org)).toMatchObject(refusal);
    expect((await org.member.get(`/orgs/${org.id}`)).body.org.member_count).toBe(3);

    billing.stripe.account.endSubscription(id);
    await deliverAll(billing);
    expect((await deleteOrg(org)).status).toBe(204);
    expect(await rowOf(billing, customer)).toMatchObject({ org_id: null, status: 'canceled' });
  });

  it('is not deleted with the account of its only member', async () => {
    const org = await loneOrg();
    const { id } = await subscribe(billing, org.admin);

    expect(await deleteAccount(org.admin)).toMatchObject(refusal);
    expect((await org.admin.get(`/orgs/${org.id}`)).status).toBe(200);

    billing.stripe.account.endSubscription(id);
    await deliverAll(billing);
    expect((await deleteAccount(org.admin)).status).toBe(204);
    expect(await billing.app.database.rows('SELECT 1 FROM organizations WHERE id = $1', [org.id])).toEqual(
      [],
    );
  });

  it('lets members delete their accounts, as long as one member stays', async () => {
    const org = await foundOrg(billing.app);
    await subscribe(billing, org.admin);

    expect((await deleteAccount(org.member)).status).toBe(204);
  });

  it('is not deleted when the subscription begins at that moment', async () => {
    const org = await foundOrg(billing.app);
    const price = billing.stripe.account.addPrice();
    const { body } = await org.admin.post('/subscription/checkout', { price_id: price });
    const { customer } = billing.stripe.account.completeSession(body.id);

    const [answer] = await inLockStep(
      billing.app.database,
      {
        sql: `UPDATE billing_customers SET subscription_id = 'sub_1', status = 'active' WHERE stripe_customer_id = $1`,
        parameters: [customer],
        waiting: 1,
      },
      () => [deleteOrg(org)],
    );

    expect(answer).toMatchObject(refusal);
  });
});

describe('a subscription whose organization or user was deleted', () => {
  it('is cancelled by the reconciliation, if no event has reported it', async () => {
    const browser = await loggedIn(billing.app);
    const { id, customer } = await subscribe(billing, browser);
    // By its end nothing follows the last event any more, which would cancel it too.
    await runCron(billing);
    await billing.app.database.rows(
      'UPDATE billing_customers SET user_id = NULL WHERE stripe_customer_id = $1',
      [customer],
    );

    expect((await runCron(billing)).reconciled).toMatchObject({ corrected: 1, failed: 0 });

    expect(statusAtStripe(id)).toBe('canceled');
    expect((await rowOf(billing, customer)).status).toBe('canceled');
  });
});

describe('deletions, checkouts, departures and webhooks of one organization at once', () => {
  it('do not deadlock', async () => {
    for (let round = 0; round < 5; round++) {
      const org = await foundOrg(billing.app);
      const subscription = await subscribe(billing, org.admin);
      const price = billing.stripe.account.addPrice();
      const reported = Array.from({ length: 6 }, (_, index) =>
        index === 3
          ? billing.stripe.account.endSubscription(subscription.id)
          : billing.stripe.account.updateSubscription(subscription.id, {}),
      );
      const events = billing.stripe.account.events.splice(0);
      expect(events).toHaveLength(reported.length);

      const answers = await Promise.all([
        ...events.map((event) => deliver(billing.app, event)),
        deleteOrg(org),
        org.admin.post('/subscription/checkout', { price_id: price }),
        org.member.delete(`/orgs/${org.id}/members/${org.member.id}`),
        deleteAccount(org.readonly),
        deleteOrg(org),
      ]);

      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    }
  });
});
