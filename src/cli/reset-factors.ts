import { UsersRepository } from '../accounts/users.repository.js';
import { Transactions } from '../audit/transactions.js';
import { THE_SERVICE } from '../http/caller.js';
import type { Product } from '../start/product.js';
import { UserFactors } from '../users/user-factors.js';
import { validAddress } from './valid-address.js';
import { withService } from './with-service.js';

/** `reset-factors <address>`: for the last SYSTEM_ADMIN, whom no other admin can let in again. */
export async function resetFactors(product: Product, address: string): Promise<void> {
  const email = validAddress(address);

  await withService(product, async (service) => {
    const [users, factors] = [service.get(UsersRepository), service.get(UserFactors)];
    await service.get(Transactions).run(THE_SERVICE, async (tx) => {
      const user = await users.lockByEmail(email, tx);
      if (!user) throw new Error(`${email} has no account.`);
      await factors.reset(user, tx);
    });
    console.log(
      `The second factors of ${email} are removed, and every session of it has ended. A mail says so.`,
    );
  });
}
