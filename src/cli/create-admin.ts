import { AdminService } from '../auth/account/admin.service.js';
import type { Product } from '../start/product.js';
import { validAddress } from './valid-address.js';
import { withService } from './with-service.js';

/** `create-admin <address>`: the first SYSTEM_ADMIN, and any further one. */
export async function createAdmin(product: Product, address: string, { print = false }): Promise<void> {
  const email = validAddress(address);

  await withService(product, async (service) => {
    const { wasCreated, passwordLink } = await service.get(AdminService).appoint(email, { isMailed: !print });
    console.log(
      wasCreated ? `An account was made for ${email}; it is a SYSTEM_ADMIN.` : `${email} is a SYSTEM_ADMIN.`,
    );

    if (passwordLink === null) console.log('The account keeps the password it has.');
    else if (print) console.log(`Set the password within one hour: ${passwordLink}`);
    else console.log('The link to set the password is in the outbox; the service mails it.');
  });
}
