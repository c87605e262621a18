import { isUUID } from 'class-validator';
import { NotFound } from '../http/errors.js';
import { PolicyService } from '../orgs/policy.service.js';
import { policyView } from '../orgs/policy.view.js';
import type { Product } from '../start/product.js';
import { withService } from './with-service.js';

/** `org-policy <id>`: for an organization whose admins have locked themselves out, where no SYSTEM_ADMIN can log in. */
export async function orgPolicy(product: Product, id: string, { clear = false }): Promise<void> {
  if (!isUUID(id)) throw new Error(`${id} is not the id of an organization.`);

  await withService(product, async (service) => {
    const policies = service.get(PolicyService);
    try {
      if (clear) await policies.clear(id);
      console.log(JSON.stringify(policyView(await policies.get(id)), null, 2));
    } catch (error) {
      throw error instanceof NotFound ? new Error(`No organization has the id ${id}.`) : error;
    }
  });
}
