import type { StripeAccount } from '../support/stripe/account.js';
import type { Event, Subscription } from '../support/stripe/objects.js';

/** What may happen to the subscription of one customer; `null` where there is none yet, or none any more. */
type Happening = (
  account: StripeAccount,
  customer: string,
  price: string,
  current: Subscription | null,
) => void;

const ofRunning =
  (happen: (account: StripeAccount, subscription: Subscription) => void): Happening =>
  (account, _customer, _price, current) => {
    if (current && current.status !== 'canceled') happen(account, current);
  };

/** Everything that Stripe reports with events of the types that the service handles. */
export const HAPPENINGS = {
  subscribe: (account, customer, price, current) => {
    const request = { mode: 'subscription', customer, success_url: '', cancel_url: null } as const;
    if (current && current.status !== 'canceled') return;
    account.completeSession(account.addSession({ ...request, line_items: [{ price, quantity: 1 }] }).id);
  },
  pay: (account, customer, price) => {
    const request = { mode: 'payment', customer, success_url: '', cancel_url: null } as const;
    account.completeSession(account.addSession({ ...request, line_items: [{ price, quantity: 1 }] }).id);
  },
  renew: ofRunning((account, { id }) => account.renew(id)),
  failToPay: ofRunning((account, { id }) => account.failPayment(id)),
  settle: ofRunning((account, { id }) => account.settle(id)),
  changeQuantity: ofRunning((account, { id, items }) => {
    account.updateSubscription(id, { quantity: (items.data[0]?.quantity ?? 0) + 1 });
  }),
  cancelAtPeriodEnd: ofRunning((account, { id, items }) => {
    account.updateSubscription(id, { cancel_at: items.data[0]?.current_period_end ?? null });
  }),
  keep: ofRunning((account, { id }) => {
    account.updateSubscription(id, { cancel_at: null, cancel_at_period_end: false });
  }),
  pause: ofRunning((account, { id }) => account.updateSubscription(id, { status: 'paused' }, 'paused')),
  resume: ofRunning((account, { id }) => account.updateSubscription(id, { status: 'active' }, 'resumed')),
  end: ofRunning((account, { id }) => account.endSubscription(id)),
  changeAddress: (account, customer) => account.updateCustomer(customer, { email: 'new@example.com' }),
  vanish: (account, customer) => account.deleteCustomer(customer),
} satisfies Record<string, Happening>;

export type HappeningName = keyof typeof HAPPENINGS;

/**
 * Lets something happen to a customer, and returns what Stripe reports of it; nothing more happens to a deleted one.
 */
export function happen(
  account: StripeAccount,
  name: HappeningName,
  customer: string,
  price: string,
): Event[] {
  const happening: Happening = HAPPENINGS[name];
  if (account.customers.get(customer)?.deleted) return [];
  happening(account, customer, price, account.subscriptionsOf(customer)[0] ?? null);
  return account.events.splice(0);
}
