import type { DataSource } from 'typeorm';
import { stripeClient } from '../../billing/stripe-client.js';
import { isMissing } from '../../billing/stripe-errors.js';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';

/**
 * Asks Stripe for one of the customers: one that it did not know before, else the newest. Where Stripe does not answer,
 * the examination of the keys says so.
 */
export async function examineCustomers(database: DataSource, environment: Environment): Promise<Finding[]> {
  const stripe = await stripeClient(environment);
  if (stripe === null) return [];
  const [customer] = await database.query<{ id: string }[]>(
    `SELECT stripe_customer_id AS id FROM billing_customers
      WHERE stripe_customer_id IS NOT NULL AND num_nonnulls(org_id, user_id) = 1
      ORDER BY unknown_at DESC NULLS LAST, id DESC LIMIT 1`,
  );
  if (!customer) return [];
  const isUnknown = await stripe.customers.retrieve(customer.id).then(() => false, isMissing);
  if (!isUnknown) return [];
  return [
    {
      code: 'STRIPE_CUSTOMER_UNKNOWN',
      severity: 'error',
      text: `Stripe does not know the customer ${customer.id}, so the key is of another account or mode.`,
      fix: 'Set SVC_STRIPE_SECRET_KEY to a key of the former account and mode. If you changed it on purpose, see docs/billing.md.',
    },
  ];
}
