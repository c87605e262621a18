import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { freshAddress } from '../support/accounts.js';
import { type Billing, rowOf, startBilling } from '../support/billing.js';
import type { Event } from '../support/stripe/objects.js';
import { deliver } from '../support/stripe/webhooks.js';
import { TestApp } from '../support/test-app.js';

const AT_ONCE = 10;
/** `npm run test:histories` plays a thousand; 200 are what must hold. */
const HISTORIES = Number(process.env.LATCHKEY_HISTORIES ?? 40);
const ADMINS = 2;

let billing: Billing;
let other: TestApp;
let price: string;
beforeAll(async () => {
  billing = await startBilling();
  const { database } = billing.app;
  other = await TestApp.start({ ...billing.stripe.variables }, { database });
  price = billing.stripe.account.addPrice();
});
afterAll(async () => {
  await other.nest.close();
  await billing.stop();
});

/** What happens next, to which replicas its events go, and whether an answer of Stripe is held up until the next happening. */
interface Move {
  happens: 'fail' | 'settle' | 'renew' | 'changeQuantity';
  /** Of each event, in its order and in the reverse: an even number delivers to one replica first. */
  order: number;
  isHeldUp: boolean;
}

const move: fc.Arbitrary<Move> = fc.record({
  happens: fc.constantFrom('fail', 'fail', 'settle', 'renew', 'changeQuantity'),
  order: fc.nat(100),
  isHeldUp: fc.boolean(),
});

/** An organization with admins, whom Stripe knows as a customer with a subscription. */
async function addSubscriber() {
  const { account } = billing.stripe;
  const customer = account.addCustomer().id;
  const subscription = account.addSubscription(customer, price, ADMINS).id;
  const orgId = randomUUID();
  const admins = Array.from({ length: ADMINS }, () => ({ id: randomUUID(), email: freshAddress() }));
  await billing.app.database.rows(
    `WITH org AS (INSERT INTO organizations (id, name) VALUES ($1, 'Initech') RETURNING id),
          admins AS (
            INSERT INTO users (id, email, email_verified_at) SELECT id, email, now() FROM unnest($2::uuid[], $3::text[]) a (id, email)
            RETURNING id
          ),
          placed AS (
            INSERT INTO memberships (org_id, user_id, role, joined_by) SELECT org.id, admins.id, 'org_admin', 'import' FROM org, admins
          )
     INSERT INTO billing_customers (id, org_id, stripe_customer_id) SELECT gen_random_uuid(), id, $4 FROM org`,
    [orgId, admins.map(({ id }) => id), admins.map(({ email }) => email), customer],
  );
  return { customer, subscription, orgId, admins };
}

const HAPPENINGS: Record<Move['happens'], (subscription: string) => void> = {
  fail: (id) => billing.stripe.account.failPayment(id),
  settle: (id) => billing.stripe.account.settle(id),
  renew: (id) => billing.stripe.account.renew(id),
  changeQuantity: (id) => billing.stripe.account.updateSubscription(id, { quantity: ADMINS }),
};

/** What Stripe reports of a customer since. */
function reported(customer: string): Event[] {
  const { events } = billing.stripe.account;
  const isOfCustomer = ({ data }: Event) => (data.object as { customer: string }).customer === customer;
  const own = events.filter(isOfCustomer);
  billing.stripe.account.events.splice(0, events.length, ...events.filter((event) => !isOfCustomer(event)));
  return own;
}

/** Stripe sends an event until a replica accepts it. */
async function arrive(event: Event, app: TestApp): Promise<void> {
  while ((await deliver(app, event)).status !== 200);
}

/** Plays a history, and returns how many episodes of late payment the service could learn of. */
async function live(
  { customer, subscription }: Awaited<ReturnType<typeof addSubscriber>>,
  moves: Move[],
): Promise<number> {
  let episodes = 0;
  let isLate = false;
  let late: Promise<void>[] = [];
  let release = () => {};
  for (const { happens, order, isHeldUp } of moves) {
    HAPPENINGS[happens](subscription);
    const events = reported(customer);
    const replicas = order % 2 ? [billing.app, other] : [other, billing.app];
    if (isHeldUp && events[0]) {
      const held = billing.stripe.hold(
        ({ path, parameters }) => path === '/v1/invoices' && parameters.subscription === subscription,
      );
      const arrival = arrive(events[0], replicas[0] as TestApp).finally(held.release);
      await Promise.race([held.reached, arrival]);
      late.push(arrival);
      const releaseFormer = release;
      release = () => {
        releaseFormer();
        held.release();
      };
    }
    // Each of them to both replicas at once, some in the reverse order.
    const inOrder = order % 3 ? events : events.toReversed();
    await Promise.all(inOrder.flatMap((event) => replicas.map((app) => arrive(event, app))));

    // The held-up answer may be the only one that a replica was not refused for: another reading makes sure.
    const { account } = billing.stripe;
    await arrive(
      account.report('customer.updated', account.livingCustomer(customer)),
      replicas[1] as TestApp,
    );
    const is =
      account.invoicesOf(subscription, 'open').length > 0 &&
      account.subscription(subscription).status === 'past_due';
    if (is && !isLate) episodes++;
    isLate = is;
    if (order % 5 === 0) {
      release();
      await Promise.all(late);
      late = [];
    }
  }
  release();
  await Promise.all(late);
  return episodes;
}

describe(`${HISTORIES} histories of late payments on two replicas`, () => {
  it('mail each admin exactly once for each episode', async () => {
    const histories = fc.array(move, { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(histories, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (lives) => {
        const subscribers = await Promise.all(lives.map(addSubscriber));
        billing.stripe.account.events.length = 0;

        const episodes = await Promise.all(
          subscribers.map((subscriber, index) => live(subscriber, lives[index] as Move[])),
        );

        const mails = await billing.app.database.rows(
          `SELECT recipient, count(*)::int AS mails FROM outbox_mails WHERE kind = 'payment-failed' GROUP BY recipient`,
        );
        const mailed = new Map(mails.map(({ recipient, mails: count }) => [recipient, count]));
        const events = await billing.app.database.rows(
          `SELECT org_id, count(*)::int AS events FROM audit_events WHERE type = 'dunning.mailed' GROUP BY org_id`,
        );
        const recorded = new Map(events.map(({ org_id, events: count }) => [org_id, count]));
        for (const [index, { admins, orgId, customer }] of subscribers.entries()) {
          expect(recorded.get(orgId) ?? 0).toBe(episodes[index]);
          for (const { email } of admins) expect(mailed.get(email) ?? 0).toBe(episodes[index]);
          expect((await rowOf(billing, customer)).unknown_at).toBeNull();
        }
      }),
      { numRuns: HISTORIES / AT_ONCE, endOnFailure: true },
    );
  }, 300_000);
});
