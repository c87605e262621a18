import { type Described, instant, named, nullable, text, uuid } from '../validation/schema.js';
import type { BillingCustomer } from './billing-customer.entity.js';
import { SubscriptionSchema, subscriptionView } from './subscription.view.js';

export const CustomerSchema = named('Customer', {
  id: uuid,
  org_id: nullable(uuid),
  user_id: nullable(uuid),
  stripe_customer_id: nullable(text),
  subscription: SubscriptionSchema,
  past_due_since: nullable(instant),
  read_at: nullable(instant),
  created_at: instant,
});

/** What a SYSTEM_ADMIN sees of a customer. */
export function customerView(customer: BillingCustomer): Described<typeof CustomerSchema> {
  return {
    id: customer.id,
    org_id: customer.orgId,
    user_id: customer.userId,
    stripe_customer_id: customer.stripeCustomerId,
    subscription: subscriptionView(customer),
    past_due_since: customer.pastDueSince,
    read_at: customer.readAt,
    created_at: customer.createdAt,
  };
}
