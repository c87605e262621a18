import type Stripe from 'stripe';
import type { BillingCustomer } from './billing-customer.entity.js';

/** What is stored of a subscription. */
export type SubscriptionState = Pick<
  BillingCustomer,
  | 'subscriptionId'
  | 'itemId'
  | 'status'
  | 'priceId'
  | 'quantity'
  | 'currentPeriodEnd'
  | 'cancelAtPeriodEnd'
  | 'pastDueSince'
  | 'trialUsed'
>;

export const NO_SUBSCRIPTION: SubscriptionState = {
  subscriptionId: null,
  itemId: null,
  status: null,
  priceId: null,
  quantity: null,
  currentPeriodEnd: null,
  cancelAtPeriodEnd: false,
  pastDueSince: null,
  trialUsed: false,
};

/** The statuses that no subscription leaves again. */
export const ENDED = ['canceled', 'incomplete_expired'];

/** The statuses that rank above all others, the best first. */
const BEST = ['active', 'trialing', 'past_due'];

/** Every status that Stripe knows. */
export const STATUSES = [...BEST, 'unpaid', 'paused', 'incomplete', ...ENDED];

/** Whether a subscription goes on, even unpaid or paused. */
export function isRunning({ status }: Pick<SubscriptionState, 'status'>): boolean {
  return status !== null && !ENDED.includes(status);
}

/**
 * The one subscription that counts. A customer has one at a time, unless an operator adds another in Stripe's
 * dashboard: then the one in the best status, and of equals the newest.
 */
export function currentOf(subscriptions: Stripe.Subscription[]): Stripe.Subscription | undefined {
  return subscriptions.toSorted((a, b) => rank(a) - rank(b) || b.created - a.created)[0];
}

/** Whether any subscription of a customer ever had a trial; of a page of them, which holds all that a customer has. */
export function hadTrial(subscriptions: Stripe.Subscription[]): boolean {
  return subscriptions.some(({ trial_start }) => trial_start !== null);
}

/** What is stored of a subscription at Stripe. */
export function stateOf(
  subscription: Stripe.Subscription,
  { pastDueSince, trialUsed }: Pick<SubscriptionState, 'pastDueSince' | 'trialUsed'>,
): SubscriptionState {
  const item = seatsOf(subscription);
  return {
    subscriptionId: subscription.id,
    itemId: item?.id ?? null,
    status: subscription.status,
    priceId: item?.price.id ?? null,
    quantity: item?.quantity ?? null,
    currentPeriodEnd: item ? fromUnixTime(item.current_period_end) : null,
    cancelAtPeriodEnd: endsWithPeriod(subscription, item),
    pastDueSince,
    trialUsed,
  };
}

/** An instant that Stripe writes in seconds. */
export function fromUnixTime(seconds: number): Date {
  return new Date(seconds * 1_000);
}

/** What was subscribed to; an item that an operator adds in the dashboard comes later. */
function seatsOf({ items }: Stripe.Subscription): Stripe.SubscriptionItem | undefined {
  return items.data.toSorted((a, b) => a.created - b.created)[0];
}

function rank({ status }: Stripe.Subscription): number {
  if (ENDED.includes(status)) return BEST.length + 1;
  return BEST.includes(status) ? BEST.indexOf(status) : BEST.length;
}

/** The portal names the day of the end and leaves the flag alone. */
function endsWithPeriod(
  { cancel_at_period_end, cancel_at }: Stripe.Subscription,
  item: Stripe.SubscriptionItem | undefined,
): boolean {
  return (
    cancel_at_period_end || (cancel_at !== null && item !== undefined && cancel_at <= item.current_period_end)
  );
}
