import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshAddress } from '../support/accounts.js';
import { type Billing, startBilling } from '../support/billing.js';
import type { Event } from '../support/stripe/objects.js';
import { deliver } from '../support/stripe/webhooks.js';

const EVENTS = 400;
const CUSTOMERS = 20;
/** Events on their way at the same time. */
const SENDERS = 8;

let billing: Billing;
beforeAll(async () => {
  billing = await startBilling();
});
afterAll(() => billing.stop());

/** Customers with a subscription each, which the service does not know yet. */
async function addCustomers(): Promise<string[]> {
  const { account } = billing.stripe;
  const price = account.addPrice();
  const customers = Array.from({ length: CUSTOMERS }, () => account.addCustomer().id);
  for (const customer of customers) account.addSubscription(customer, price, 1);
  await billing.app.database.rows(
    `WITH owners AS (
       INSERT INTO users (id, email) SELECT gen_random_uuid(), name || $2 FROM unnest($1::text[]) name
       RETURNING id, email
     )
     INSERT INTO billing_customers (id, user_id, stripe_customer_id)
     SELECT gen_random_uuid(), id, replace(email, $2, '') FROM owners`,
    [customers, freshAddress()],
  );
  return customers;
}

/** Ends the connections that are in the middle of something, and returns how many. */
function killConnections(): Promise<number> {
  return billing.app.database.value(
    `SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'latchkey' AND state <> 'idle'`,
  );
}

describe('a database whose connections end in the middle of webhooks, again and again', () => {
  it(`loses none of ${EVENTS} events, which Stripe sends until the service accepts them`, async () => {
    const { account } = billing.stripe;
    const customers = await addCustomers();
    account.events.length = 0;
    const queue: Event[] = [];
    for (let round = 0; queue.length < EVENTS; round++) {
      for (const customer of customers) {
        const id = account.subscriptionsOf(customer)[0]?.id ?? '';
        account.updateSubscription(id, { quantity: round + 2 });
        queue.push(...account.events.splice(0));
      }
    }
    const sent = queue.map(({ id }) => id).sort();
    const refusals: number[] = [];

    let killed = 0;
    const send = async () => {
      for (let event = queue.pop(); event; event = queue.pop()) {
        if (queue.length % 10 === 0) killed += await killConnections();
        for (let { status } = await deliver(billing.app, event); status !== 200; ) {
          refusals.push(status);
          ({ status } = await deliver(billing.app, event));
        }
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));

    expect(killed).toBeGreaterThan(EVENTS / 10);
    expect(new Set(refusals)).toEqual(new Set([503]));
    const ledger = await billing.app.database.rows('SELECT id FROM stripe_events ORDER BY id COLLATE "C"');
    expect(ledger.map(({ id }) => id)).toEqual(sent);
    const rows = await billing.app.database.rows('SELECT DISTINCT status, quantity FROM billing_customers');
    expect(rows).toEqual([{ status: 'active', quantity: EVENTS / CUSTOMERS + 1 }]);
  });
});
