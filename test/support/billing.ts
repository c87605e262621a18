import type { Answer, Browser } from './browser.js';
import type { Subscription } from './stripe/objects.js';
import { StripeStandIn } from './stripe/stand-in.js';
import { deliver } from './stripe/webhooks.js';
import { TestApp } from './test-app.js';

const CRON_SECRET = 'the secret of the scheduler that the tests know';

/** The service beside a Stripe account it bills through, and how both end. */
export interface Billing {
  app: TestApp;
  stripe: StripeStandIn;
  stop: () => Promise<void>;
}

export async function startBilling(
  variables: Record<string, string> = {},
  options: Parameters<typeof TestApp.start>[1] = {},
): Promise<Billing> {
  const stripe = await StripeStandIn.start();
  const app = await TestApp.start(
    { ...stripe.variables, SVC_CRON_SECRET: CRON_SECRET, ...variables },
    options,
  );
  const stop = async () => {
    await app.close();
    await stripe.stop();
  };
  return { app, stripe, stop };
}

export function checkOut(browser: Browser, priceId: string): Promise<Answer> {
  return browser.post('/subscription/checkout', { price_id: priceId });
}

/** Checks out and pays, and has Stripe report it. */
export async function subscribe(
  { app, stripe }: Billing,
  browser: Browser,
  priceId = stripe.account.addPrice(),
): Promise<Subscription> {
  const { status, body } = await checkOut(browser, priceId);
  if (status !== 201) throw new Error(`the checkout answered ${status}`);
  const { subscription } = stripe.account.completeSession(body.id);
  await deliverAll({ app, stripe });
  return stripe.account.subscription(subscription ?? '');
}

/** Has Stripe report everything that has happened and that it has not reported yet, in order. */
export async function deliverAll({ app, stripe }: Pick<Billing, 'app' | 'stripe'>): Promise<void> {
  for (const event of stripe.account.events.splice(0)) {
    const { status } = await deliver(app, event);
    if (status !== 200) throw new Error(`the webhook answered ${status} to ${event.type}`);
  }
}

/** Does what the scheduler does once an hour, and returns the answer. */
export async function runCron({ app }: Pick<Billing, 'app'>, query = '') {
  const scheduler = app.browser({ authorization: `Bearer ${CRON_SECRET}` });
  const { status, body } = await scheduler.post(`/cron${query}`);
  if (status !== 200) throw new Error(`/cron answered ${status}`);
  return body;
}

/** The row of a customer, by the id Stripe gave it. */
export async function rowOf({ app }: Pick<Billing, 'app'>, stripeCustomerId: string) {
  const [row] = await app.database.rows('SELECT * FROM billing_customers WHERE stripe_customer_id = $1', [
    stripeCustomerId,
  ]);
  return row;
}

/** The rows of the payer of an account; one at most. */
export function customersOf({ app }: Pick<Billing, 'app'>, { email }: { email: string }) {
  return app.database.rows(
    'SELECT c.* FROM billing_customers c JOIN users u ON u.id = c.user_id OR c.org_id IN (SELECT org_id FROM memberships WHERE user_id = u.id) WHERE u.email = $1',
    [email],
  );
}
