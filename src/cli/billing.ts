import { BillingCustomersRepository } from '../billing/billing-customers.repository.js';
import { CustomersService } from '../billing/customers.service.js';
import { isBillingOn, stripeMode } from '../billing/stripe-client.js';
import { Environment } from '../config/environment.js';
import type { Product } from '../start/product.js';
import { withService } from './with-service.js';

/**
 * `billing forget-other-mode --yes`: after a change of the account or the mode at Stripe on purpose. Without `--yes` it only
 * counts: one mistyped key must not make all payers pay anew.
 */
export async function forgetOtherMode(product: Product, { yes: isMeant = false }): Promise<void> {
  await withService(product, async (service) => {
    const environment = service.get(Environment);
    // Without a key nobody knows which mode is the other one.
    if (!isBillingOn(environment)) throw new Error('SVC_STRIPE_SECRET_KEY is not set, so there is no mode.');

    if (isMeant) {
      const forgotten = await service.get(CustomersService).forgetUnknown();
      console.log(`${forgotten} customers forgotten. Their next checkout makes new ones.`);
    } else {
      const { length } = await service.get(BillingCustomersRepository).findUnknown();
      console.log(
        `The key is of the ${stripeMode(environment)} mode. Stripe does not know ${length} customers by it. If you changed the key on purpose, add --yes.`,
      );
    }
  });
}
