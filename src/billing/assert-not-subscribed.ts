import type { Transaction } from '../audit/transactions.js';
import { SubscriptionActive } from '../http/errors.js';
import { BillingCustomer } from './billing-customer.entity.js';
import type { Payer } from './billing-customers.repository.js';
import { isRunning } from './subscription-state.js';

/**
 * Throws SubscriptionActive when a payer who is about to be deleted would go on being charged. A payer who has
 * cancelled need not wait for the end of the period. Otherwise the customer is locked until the transaction ends: last,
 * after the organization, the system admins and the user.
 */
export async function assertNotSubscribed(payer: Payer, tx: Transaction): Promise<void> {
  const customer = await tx.manager.findOne(BillingCustomer, {
    where: payer,
    lock: { mode: 'pessimistic_write' },
  });
  if (customer && isRunning(customer) && !customer.cancelAtPeriodEnd) throw new SubscriptionActive();
}
