import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verified } from '../support/accounts.js';
import { deliverAll } from '../support/billing.js';
import { foundOrg } from '../support/orgs.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
import { looksRight } from './looks.js';
import { Stage } from './stage.js';
import type { Visitor } from './visitor.js';

let stripe: StripeStandIn;
let stage: Stage;
beforeAll(async () => {
  stripe = await StripeStandIn.start();
  stripe.account.addPrice({ id: 'price_monthly' });
  stage = await Stage.inDev(stripe.variables);
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

describe('the billing page', () => {
  it('sends the browser to pay, and shows the subscription once Stripe has reported it, and since when a payment is late', async () => {
    const ada = await atBilling();
    await ada.submit('Continue to payment');
    await ada.sees('Stripe asks for a card');
    const [session] = [...stripe.account.sessions.values()].slice(-1);
    expect(ada.page.url()).toBe(session?.url);

    stripe.account.completeSession(session?.id ?? '');
    await ada.open(session?.success_url ?? '');
    await ada.sees('Thank you.');
    await deliverAll({ app: stage.app, stripe });

    await ada.sees('Active');
    expect(await ada.text()).not.toContain('You have no subscription.');

    const since = Date.UTC(2026, 0, 5, 12) / 1000;
    stripe.account.failPayment(stripe.account.session(session?.id ?? '').subscription ?? '', since);
    await deliverAll({ app: stage.app, stripe });
    await ada.page.reload();
    await ada.sees('Payment is late');
    await ada.sees('Jan 5, 2026');
  });

  it('thanks for a payment that Stripe reported before it sent the browser back', async () => {
    const ada = await atBilling();
    const { success_url } = await paid(ada);
    await deliverAll({ app: stage.app, stripe });
    await ada.open(success_url);
    await ada.sees('Active');
    await ada.sees('Thank you.');
    expect(ada.path).toBe('/ui/billing');

    await ada.page.reload();
    await ada.sees('Active');
    expect(await ada.text()).not.toContain('Thank you.');
  });

  it('offers the checkout again to a user who turned back', async () => {
    const ada = await atBilling();
    await ada.submit('Continue to payment');
    await ada.sees('Stripe asks for a card');
    const [session] = [...stripe.account.sessions.values()].slice(-1);
    await ada.open(session?.cancel_url ?? '');
    await ada.sees('You have not been charged.');
    await ada.open('/billing?price_id=price_monthly');
    await ada.submit('Continue to payment');

    await ada.sees('Stripe asks for a card');
    expect(ada.page.url()).toBe(session?.url);
  });
});

describe('the plans', () => {
  it('say what they cost before anybody leaves for Stripe, with the keyboard alone', async () => {
    const price = { SVC_STRIPE_PRICE_IDS: 'price_monthly,price_yearly' };
    stripe.account.addPrice({ id: 'price_yearly', name: 'A year of it', months: 12, amount: '9000' });
    const shop = await Stage.inDev({ ...stripe.variables, ...price });
    const org = await foundOrg(shop.app);
    const ada = await reaching(await shop.visitor({ hasMouse: false }));
    await ada.logIn(org.admin.email);
    await ada.follow('Billing');
    await ada.sees('Your organization has no subscription.');
    await ada.sees('€9.00 for each member. 3 members: €27.00 every month.');
    await ada.sees('€90.00 for each member. 3 members: €270.00 every 12 months.');
    await looksRight(ada, 'billing-plans');
    await ada.press('Continue to payment: A year of it');
    await ada.sees('Stripe asks for a card');

    const [session] = [...stripe.account.sessions.values()].slice(-1);
    expect(session?.line_items).toEqual([{ price: 'price_yearly', quantity: 3 }]);
    await shop.stop();
  });

  it('of a product that names none lead back to it', async () => {
    const ada = await stage.visitor();
    await ada.logIn(await verified(stage.app));
    await ada.open('/billing?return_to=http://localhost:5173/plans');
    await ada.sees('You choose a plan in Latchkey.');
    await ada.follow('Go to Latchkey');

    await ada.arrivesAt('http://localhost:5173/plans');
  });

  it('say so where the one that was chosen is no longer on sale', async () => {
    const ada = await stage.visitor();
    ada.expectRefusal('400 /subscription/prices');
    await ada.logIn(await verified(stage.app));
    await ada.open('/billing?price_id=price_of_nothing');

    await ada.sees('The plan that you chose is no longer on sale.');
  });
});

describe('a member of an organization', () => {
  it('reads beforehand who can end what they begin, and is offered nothing that is not theirs', async () => {
    const org = await foundOrg(stage.app);
    await org.admin.patch('/users/me', { name: 'Ada Lovelace' });
    const grace = await reaching(await stage.visitor());
    await grace.logIn(org.member.email);
    await grace.open('/billing?price_id=price_monthly');
    await grace.sees('To change or end it, ask an admin: Ada Lovelace.');
    await looksRight(grace, 'billing-member');
    await paid(grace);
    await deliverAll({ app: stage.app, stripe });
    await grace.open('/billing');

    await grace.sees('€9.00 for each member. 3 members: €27.00 every month.');
    await grace.sees('To change or end it, ask an admin: Ada Lovelace.');
    expect(await grace.text()).not.toContain('Change or cancel');
    await looksRight(grace, 'billing-member-present');
  });
});

describe('a subscription that has ended', () => {
  it('does not keep the user from its invoices, or from another one', async () => {
    const ada = await atBilling();
    const former = await paid(ada);
    await deliverAll({ app: stage.app, stripe });
    stripe.account.endSubscription(former.subscription ?? '');
    await deliverAll({ app: stage.app, stripe });
    await ada.open('/billing?price_id=price_monthly');
    await ada.sees('Canceled');
    await ada.submit('See invoices');
    await ada.sees('Stripe shows the invoices');
    await ada.open('/billing?price_id=price_monthly');

    const next = await paid(ada);
    await ada.open(next.success_url);
    await ada.sees('Thank you.');
    await deliverAll({ app: stage.app, stripe });
    await ada.sees('Active');
    expect(ada.path).toBe('/ui/billing');
  });
});

/** What the user has paid for at Stripe, which has not sent the browser back yet. */
async function paid(visitor: Visitor) {
  await visitor.submit('Continue to payment');
  await visitor.sees('Stripe asks for a card');
  const [session] = [...stripe.account.sessions.values()].slice(-1);
  return stripe.account.completeSession(session?.id ?? '');
}

/** A user who has logged in and follows a product's link to the billing page. */
async function atBilling(): Promise<Visitor> {
  const visitor = await reaching(await stage.visitor());
  await visitor.logIn(await verified(stage.app));
  await visitor.open('/billing?price_id=price_monthly');
  return visitor;
}

/** Lets the browser of a visitor reach Stripe. */
async function reaching(visitor: Visitor): Promise<Visitor> {
  await visitor.page.route('https://checkout.stripe.test/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: 'Stripe asks for a card' }),
  );
  await visitor.page.route('https://billing.stripe.test/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: 'Stripe shows the invoices' }),
  );
  return visitor;
}
