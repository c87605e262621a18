import type { BillingCustomer } from './billing-customer.entity.js';

/** What a client sees of the subscription of whoever pays; null when there never was one. */
export function subscriptionView(customer: BillingCustomer | null) {
  if (!customer?.status) return null;
  return {
    status: customer.status,
    price_id: customer.priceId,
    quantity: customer.quantity,
    current_period_end: customer.currentPeriodEnd,
    cancel_at_period_end: customer.cancelAtPeriodEnd,
  };
}
