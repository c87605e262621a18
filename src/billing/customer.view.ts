import {
  address,
  type Described,
  flag,
  instant,
  named,
  nullable,
  oneOf,
  text,
  uuid,
} from '../validation/schema.js';
import type { NamedCustomer } from './billing-customers.repository.js';
import { SubscriptionSchema, subscriptionView } from './subscription.view.js';

/** Whether real money moves. */
export const StripeModeSchema = oneOf(['live', 'test'] as const);

export const CustomerSchema = named('Customer', {
  id: uuid,
  org_id: nullable(uuid),
  org_name: nullable(text),
  user_id: nullable(uuid),
  user_email: nullable(address),
  stripe_customer_id: nullable(text),
  subscription: SubscriptionSchema,
  past_due_since: nullable(instant),
  livemode: nullable(flag),
  unknown_at: nullable(instant),
  read_at: nullable(instant),
  created_at: instant,
});

/** What a SYSTEM_ADMIN sees of a customer. */
export function customerView(customer: NamedCustomer): Described<typeof CustomerSchema> {
  return {
    id: customer.id,
    org_id: customer.orgId,
    org_name: customer.orgName,
    user_id: customer.userId,
    user_email: customer.userEmail,
    stripe_customer_id: customer.stripeCustomerId,
    subscription: subscriptionView(customer),
    past_due_since: customer.pastDueSince,
    livemode: customer.livemode,
    unknown_at: customer.unknownAt,
    read_at: customer.readAt,
    created_at: customer.createdAt,
  };
}
