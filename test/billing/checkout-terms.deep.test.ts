import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { type Billing, checkOut, deliverAll, rowOf, runCron, startBilling } from '../support/billing.js';
import type { Browser } from '../support/browser.js';
import { foundOrg } from '../support/orgs.js';

let plain: Billing;
let billing: Billing;
beforeAll(async () => {
  plain = await startBilling();
  billing = await startBilling({
    SVC_STRIPE_TRIAL_DAYS: '14',
    SVC_STRIPE_PROMOTION_CODES: 'on',
    SVC_STRIPE_AUTOMATIC_TAX: 'on',
    SVC_STRIPE_BILLING_ADDRESS: 'required',
  });
});
afterAll(() => Promise.all([plain.stop(), billing.stop()]));
afterEach(() => {
  plain.stripe.calmDown();
  billing.stripe.calmDown();
});

/** Checks out, and returns what the service asked of Stripe for it. */
async function askedOf({ stripe }: Billing, browser: Browser, price = stripe.account.addPrice()) {
  const { status, body } = await checkOut(browser, price);
  expect(status).toBe(201);
  const asked = stripe.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/sessions'));
  return { id: body.id as string, asked: asked.at(-1)?.parameters ?? {} };
}

/** Pays a checkout, and lets the service learn of it. Returns the subscription. */
async function pay(of: Billing, id: string): Promise<string> {
  const { subscription } = of.stripe.account.completeSession(id);
  await deliverAll(of);
  return subscription ?? '';
}

// First: the services of a file share the log of the one that started last.
it('A trial that a price says in a way that cannot be read is a line in the log', async () => {
  const { account } = billing.stripe;
  const lines = async (trial_days: string) => {
    const logged = billing.app.log.length;
    await askedOf(billing, await loggedIn(billing.app), account.addPrice({ metadata: { trial_days } }));
    return billing.app.log.slice(logged).filter((line) => line.includes('stripe.trial_unreadable'));
  };

  expect(await lines('two weeks')).toHaveLength(1);
  expect(await lines('30')).toEqual([]);
});

describe('what is asked of Stripe', () => {
  it('has no terms where no setting asks for them', async () => {
    const { asked } = await askedOf(plain, await loggedIn(plain.app));

    expect(Object.keys(asked).sort()).toEqual([
      'cancel_url',
      'customer',
      'line_items',
      'locale',
      'mode',
      'success_url',
    ]);
  });

  it('has a trial, promotion codes, tax and a billing address where the settings say so', async () => {
    const { asked } = await askedOf(billing, await loggedIn(billing.app));

    expect(asked).toMatchObject({
      subscription_data: { trial_period_days: '14' },
      allow_promotion_codes: 'true',
      automatic_tax: { enabled: 'true' },
      customer_update: { address: 'auto', name: 'auto' },
      tax_id_collection: { enabled: 'true' },
      billing_address_collection: 'required',
    });
    expect(asked.payment_method_collection).toBeUndefined();
  });

  it('has the same but a trial for a single payment', async () => {
    const price = billing.stripe.account.addPrice({ isRecurring: false });
    const { asked } = await askedOf(billing, await loggedIn(billing.app), price);

    expect(asked).toMatchObject({ mode: 'payment', allow_promotion_codes: 'true' });
    expect(asked.subscription_data).toBeUndefined();
  });

  it('asks no card for a trial with SVC_STRIPE_TRIAL_CARD=optional, and ends it without one', async () => {
    const cardless = await startBilling({ SVC_STRIPE_TRIAL_DAYS: '7', SVC_STRIPE_TRIAL_CARD: 'optional' });
    const { asked, id } = await askedOf(cardless, await loggedIn(cardless.app));
    const withoutTrial = cardless.stripe.account.addPrice({ metadata: { trial_days: '0' } });
    const { asked: other } = await askedOf(cardless, await loggedIn(cardless.app), withoutTrial);

    expect(asked).toMatchObject({
      payment_method_collection: 'if_required',
      subscription_data: {
        trial_period_days: '7',
        trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
      },
    });
    expect(other.payment_method_collection).toBeUndefined();
    expect(cardless.stripe.account.session(id).status).toBe('open');
    await cardless.stop();
  });

  it.each([
    ['0', undefined],
    ['30', '30'],
    ['730', '730'],
    ['731', '14'],
    ['two weeks', '14'],
    ['-1', '14'],
  ])('has the trial that the price says: trial_days %s', async (trial_days, days) => {
    const price = billing.stripe.account.addPrice({ metadata: { trial_days } });
    const { asked } = await askedOf(billing, await loggedIn(billing.app), price);

    expect(asked.subscription_data).toEqual(days && { trial_period_days: days });
  });

  it('has the trial of the price where no setting gives one', async () => {
    const price = plain.stripe.account.addPrice({ metadata: { trial_days: '5' } });
    const { asked } = await askedOf(plain, await loggedIn(plain.app), price);

    expect(asked.subscription_data).toEqual({ trial_period_days: '5' });
  });
});

describe('a payer', () => {
  it('is on trial, admitted, and has no second trial once the first was cancelled', async () => {
    const browser = await loggedIn(billing.app);
    const subscription = await pay(billing, (await askedOf(billing, browser)).id);
    expect((await browser.get('/subscription')).body.subscription.status).toBe('trialing');

    billing.stripe.account.endSubscription(subscription);
    await deliverAll(billing);

    const { asked, id } = await askedOf(billing, browser);
    expect(asked.subscription_data).toBeUndefined();
    const { customer } = billing.stripe.account.session(id);
    expect((await rowOf(billing, customer)).trial_used).toBe(true);
  });

  it('has no second trial where Stripe reported nothing of the first', async () => {
    const browser = await loggedIn(billing.app);
    const { id } = await askedOf(billing, browser);
    const { account } = billing.stripe;
    account.endSubscription(account.completeSession(id).subscription ?? '');
    account.events.length = 0;

    const { asked } = await askedOf(billing, browser);

    expect(asked.subscription_data).toBeUndefined();
  });

  it('has no second trial from the tab that was open before, nor from two at once', async () => {
    const browser = await loggedIn(billing.app);
    const { account } = billing.stripe;
    const [monthly, yearly] = [account.addPrice(), account.addPrice({ months: 12 })];
    const first = await askedOf(billing, browser, monthly);
    const second = await askedOf(billing, browser, yearly);
    expect(account.session(first.id).status).toBe('expired');

    account.endSubscription(await pay(billing, second.id));
    await deliverAll(billing);

    const answers = await Promise.all([monthly, yearly, monthly].map((price) => checkOut(browser, price)));
    const open = answers.filter(({ status }) => status === 201).map(({ body }) => account.session(body.id));
    expect(open.length).toBeGreaterThan(0);
    expect(open.map(({ trial_period_days }) => trial_period_days)).toEqual(open.map(() => null));
  });

  it('has no second trial after it paid by another price, which had none', async () => {
    const org = await foundOrg(billing.app);
    const { account } = billing.stripe;
    account.endSubscription(await pay(billing, (await askedOf(billing, org.admin)).id));
    const withoutTrial = account.addPrice({ metadata: { trial_days: '0' } });
    account.endSubscription(await pay(billing, (await askedOf(billing, org.admin, withoutTrial)).id));
    await deliverAll(billing);

    for (const member of [org.admin, org.member])
      expect((await askedOf(billing, member)).asked.subscription_data).toBeUndefined();
  });

  it('has its own trial beside that of its organization, and each organization its own', async () => {
    const orgs = [await foundOrg(billing.app), await foundOrg(billing.app)];
    for (const { admin } of orgs)
      expect((await askedOf(billing, admin)).asked.subscription_data).toEqual({ trial_period_days: '14' });
  });

  it('is asked for anew by a changed setting, which closes the checkout that is open', async () => {
    const browser = await loggedIn(plain.app);
    const price = plain.stripe.account.addPrice();
    const former = await askedOf(plain, browser, price);
    const changed = await startBilling(
      { ...plain.stripe.variables, SVC_STRIPE_TRIAL_DAYS: '3' },
      { database: plain.app.database },
    );
    const other = await loggedIn(changed.app, browser.email);

    const { status, body } = await checkOut(other, price);

    expect(status).toBe(201);
    expect(plain.stripe.account.session(former.id).status).toBe('expired');
    expect(plain.stripe.account.session(body.id).trial_period_days).toBe(3);
    await changed.app.nest.close();
    await changed.stripe.stop();
  });
});

it('A trial that was used is known after a reading by /cron too', async () => {
  const browser = await loggedIn(billing.app);
  const { id } = await askedOf(billing, browser);
  const { customer } = billing.stripe.account.session(id);
  billing.stripe.account.completeSession(id);
  billing.stripe.account.events.length = 0;
  await billing.app.database.rows(`UPDATE billing_customers SET read_at = now() - interval '2 days'`);

  await runCron(billing);

  expect(await rowOf(billing, customer)).toMatchObject({ status: 'trialing', trial_used: true });
});
