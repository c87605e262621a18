import { count, type Described, flag, instant, nullable, object, text } from '../validation/schema.js';
import type { BillingCustomer } from './billing-customer.entity.js';

export const SubscriptionSchema = nullable(
  object({
    status: text,
    price_id: nullable(text),
    quantity: nullable(count),
    current_period_end: nullable(instant),
    cancel_at_period_end: flag,
    past_due_since: nullable(instant),
  }),
);

/** What of a customer is shown. */
type Subscription = Pick<
  BillingCustomer,
  'status' | 'priceId' | 'quantity' | 'currentPeriodEnd' | 'cancelAtPeriodEnd' | 'pastDueSince'
>;

/** What a client sees of the subscription of a payer; null when there never was one. */
export function subscriptionView(customer: Subscription | null): Described<typeof SubscriptionSchema> {
  if (!customer?.status) return null;
  return {
    status: customer.status,
    price_id: customer.priceId,
    quantity: customer.quantity,
    current_period_end: customer.currentPeriodEnd,
    cancel_at_period_end: customer.cancelAtPeriodEnd,
    past_due_since: customer.pastDueSince,
  };
}
