import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { freshAddress } from '../support/accounts.js';
import { type Billing, rowOf, runCron, startBilling } from '../support/billing.js';
import type { Event } from '../support/stripe/objects.js';
import { deliver } from '../support/stripe/webhooks.js';
import { HAPPENINGS, type HappeningName, happen } from './history.js';

const AT_ONCE = 10;
/** `npm run test:histories` plays a thousand. */
const HISTORIES = Number(process.env.LATCHKEY_HISTORIES ?? 100);

let billing: Billing;
let price: string;
beforeAll(async () => {
  billing = await startBilling();
  price = billing.stripe.account.addPrice();
});
afterAll(() => billing.stop());

/**
 * Something happens at Stripe, or one of the events of what has happened arrives, be it for the second time; what
 * Stripe answers then may be held up until all is over.
 */
type Move = { happens: HappeningName } | { arrives: number; isHeldUp: boolean };

/** One customer's history: what happens and arrives, and in which order the events arrive that are left at the end. */
interface History {
  moves: Move[];
  /** The order of those events; an odd number loses its event, if events are lost at all. */
  fates: number[];
  losesEvents: boolean;
}

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ happens: fc.constantFrom(...(Object.keys(HAPPENINGS) as HappeningName[])) }),
  fc.record({ arrives: fc.nat(20), isHeldUp: fc.boolean() }),
);
const history: fc.Arbitrary<History> = fc.record({
  moves: fc.array(move, { maxLength: 5 }).map((moves) => [{ happens: 'subscribe' as const }, ...moves]),
  fates: fc.array(fc.nat(100), { minLength: 20, maxLength: 20 }),
  losesEvents: fc.boolean(),
});

/** A user whom Stripe knows as a customer. */
async function addCustomer(): Promise<string> {
  const { id } = billing.stripe.account.addCustomer();
  billing.stripe.account.events.length = 0;
  await billing.app.database.rows(
    `WITH owner AS (
       INSERT INTO users (id, email, email_verified_at) VALUES ($1, $2, now()) RETURNING id
     )
     INSERT INTO billing_customers (id, user_id, stripe_customer_id) SELECT gen_random_uuid(), id, $3 FROM owner`,
    [randomUUID(), freshAddress(), id],
  );
  return id;
}

/** Stripe sends an event until the service accepts it. */
async function arrive(event: Event): Promise<void> {
  while ((await deliver(billing.app, event)).status !== 200);
}

/** An event arrives, and what Stripe says of the customer then is held up on its way. Returns how to release it. */
async function arriveHeldUp(event: Event, customer: string): Promise<() => Promise<void>> {
  const answer = billing.stripe.hold(
    ({ path, parameters }) => path === '/v1/subscriptions' && parameters.customer === customer,
  );
  // Of an event that came before, Stripe is not asked: then the next answer must not be held up in its place.
  const arrival = arrive(event).then(answer.release);
  await Promise.race([answer.reached, arrival]);
  return () => {
    answer.release();
    return arrival;
  };
}

/** Plays a history, and returns its customer. */
async function live({ moves, fates, losesEvents }: History): Promise<string> {
  const customer = await addCustomer();
  const reported: Event[] = [];
  const arrived = new Set<Event>();
  const heldUp: (() => Promise<void>)[] = [];
  for (const step of moves) {
    if ('happens' in step) reported.push(...happen(billing.stripe.account, step.happens, customer, price));
    else {
      const event = reported[step.arrives % reported.length] as Event;
      arrived.add(event);
      if (step.isHeldUp) heldUp.push(await arriveHeldUp(event, customer));
      else await arrive(event);
    }
  }

  const onTheirWay = reported
    .filter((event) => !arrived.has(event))
    .map((event, index) => ({ event, fate: fates[index] ?? 0 }))
    .filter(({ fate }) => !(losesEvents && fate % 2))
    .sort((a, b) => a.fate - b.fate);
  await Promise.all(onTheirWay.map(({ event }) => arrive(event)));
  await Promise.all(heldUp.map((release) => release()));
  return customer;
}

/** As after a day on which no event came: the service reads every customer. */
async function reconcile(): Promise<void> {
  await billing.app.database.rows(`UPDATE billing_customers SET read_at = now() - interval '25 hours'`);
  for (;;) {
    const { reconciled, complete } = await runCron(billing);
    expect(reconciled.failed).toBe(0);
    if (complete) return;
  }
}

/** What must be stored of a customer, by what Stripe holds. */
function expected(customer: string) {
  const { account } = billing.stripe;
  if (account.customers.get(customer)?.deleted)
    return { isOwned: false, subscription_id: null, status: null };

  const subscription = account.subscriptionsOf(customer)[0];
  const [item] = subscription?.items.data ?? [];
  if (!subscription || !item) return { isOwned: true, subscription_id: null, status: null };
  const isPastDue = subscription.status === 'past_due';
  const oldest = isPastDue ? account.invoicesOf(subscription.id, 'open').at(-1) : undefined;
  return {
    isOwned: true,
    subscription_id: subscription.id,
    status: subscription.status,
    price_id: item.price.id,
    quantity: item.quantity,
    current_period_end: new Date(item.current_period_end * 1000),
    cancel_at_period_end: subscription.cancel_at !== null,
    past_due_since: oldest ? new Date(oldest.created * 1000) : null,
  };
}

async function stored(customer: string) {
  const row = await rowOf(billing, customer);
  return { ...row, isOwned: row.user_id !== null };
}

describe(`${HISTORIES} histories of events that come late, twice, out of order, at once or never`, () => {
  it('each end in the row that Stripe would write', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (histories) => {
        const customers = await Promise.all(histories.map(live));

        const isWhole = histories.map(({ losesEvents }) => !losesEvents);
        for (const customer of customers.filter((_, index) => isWhole[index]))
          expect(await stored(customer)).toMatchObject(expected(customer));

        if (isWhole.includes(false)) await reconcile();
        for (const customer of customers) expect(await stored(customer)).toMatchObject(expected(customer));
        await billing.app.database.rows('DELETE FROM billing_customers');
      }),
      { numRuns: HISTORIES / AT_ONCE, endOnFailure: true },
    );
  }, 300_000);
});
