import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verified } from '../support/accounts.js';
import { deliverAll } from '../support/billing.js';
import { StripeStandIn } from '../support/stripe/stand-in.js';
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
  it('sends the browser to pay, and shows the subscription once Stripe has reported it', async () => {
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
  });

  it('offers the checkout again to a user who turned back', async () => {
    const ada = await atBilling();
    await ada.submit('Continue to payment');
    await ada.sees('Stripe asks for a card');
    const [session] = [...stripe.account.sessions.values()].slice(-1);
    await ada.open(session?.cancel_url ?? '');
    await ada.sees('Nothing was charged.');
    await ada.open('/billing?price_id=price_monthly');
    await ada.submit('Continue to payment');

    await ada.sees('Stripe asks for a card');
    expect(ada.page.url()).toBe(session?.url);
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

/** A user who has logged in and follows a product's link to the billing page, in a browser that reaches Stripe's. */
async function atBilling(): Promise<Visitor> {
  const visitor = await stage.visitor();
  await visitor.page.route('https://checkout.stripe.test/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: 'Stripe asks for a card' }),
  );
  await visitor.page.route('https://billing.stripe.test/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: 'Stripe shows the invoices' }),
  );
  await visitor.logIn(await verified(stage.app));
  await visitor.open('/billing?price_id=price_monthly');
  return visitor;
}
