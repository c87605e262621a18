import type Stripe from 'stripe';
import type { DataSource } from 'typeorm';
import { isOfOtherModeSql } from '../../billing/billing-customers.repository.js';
import { stripeClient, stripeMode } from '../../billing/stripe-client.js';
import { isMissing } from '../../billing/stripe-errors.js';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';

const HAS_OWNER = 'num_nonnulls(c.org_id, c.user_id) = 1';

const FIX =
  'Set SVC_STRIPE_SECRET_KEY to a key of the former account and mode. If you changed it on purpose, run billing forget-other-mode.';

/**
 * Counts the customers that Stripe cannot know, because they are of the other mode, and asks it for one of the others: one
 * that it did not know before, else the newest. Where Stripe does not answer, the examination of the keys says so.
 */
export async function examineCustomers(database: DataSource, environment: Environment): Promise<Finding[]> {
  const stripe = await stripeClient(environment);
  if (stripe === null) return [];
  return [...(await ofOtherMode(database, environment)), ...(await unknown(database, environment, stripe))];
}

async function ofOtherMode(database: DataSource, environment: Environment): Promise<Finding[]> {
  const [{ count }] = await database.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM billing_customers c WHERE ${HAS_OWNER} AND ${isOfOtherModeSql(environment)}`,
  );
  if (count === 0) return [];
  return [
    {
      code: 'STRIPE_OTHER_MODE',
      severity: 'error',
      text: `Customers of the other mode than that of the key, which is the ${stripeMode(environment)} mode: ${count}.`,
      fix: FIX,
    },
  ];
}

async function unknown(database: DataSource, environment: Environment, stripe: Stripe): Promise<Finding[]> {
  const [customer] = await database.query<{ id: string; unknown: number }[]>(
    `SELECT c.stripe_customer_id AS id, (count(c.unknown_at) OVER ())::int AS unknown FROM billing_customers c
      WHERE c.stripe_customer_id IS NOT NULL AND ${HAS_OWNER} AND NOT ${isOfOtherModeSql(environment)}
      ORDER BY c.unknown_at DESC NULLS LAST, c.id DESC LIMIT 1`,
  );
  if (!customer) return [];
  const isUnknown = await stripe.customers.retrieve(customer.id).then(() => false, isMissing);
  if (!isUnknown) return [];
  return [
    {
      code: 'STRIPE_CUSTOMER_UNKNOWN',
      severity: 'error',
      text: `Stripe does not know the customer ${customer.id}, so the key is of another account or mode. Customers of which it said so: ${customer.unknown}.`,
      fix: FIX,
    },
  ];
}
