import { SealedSecretsRepository } from '../factors/sealed-secrets.repository.js';
import { Totp } from '../factors/totp.js';
import type { Product } from '../product.js';
import { withService } from './with-service.js';

/**
 * `reseal`: encrypts the secrets of the authenticator apps with the first secret of SVC_JWT_SECRET_KEY, so that a
 * former one can be removed. Leaves alone those that are encrypted with it already, so that it can be called again.
 */
export async function reseal(product: Product): Promise<void> {
  await withService(product, async (service) => {
    const [secrets, totp] = [service.get(SealedSecretsRepository), service.get(Totp)];
    let [examined, resealed, lost] = [0, 0, 0];
    for await (const batch of secrets.batches()) {
      const { renewed, unreadable } = totp.reseal(batch);
      resealed += await secrets.replace(renewed);
      examined += batch.length;
      lost += unreadable;
      console.error(`${examined} examined`);
    }
    console.log(`${resealed} of ${examined} secrets of authenticator apps encrypted with the first key`);
    if (lost > 0)
      throw new Error(
        `${lost} secrets are encrypted with none of the keys in SVC_JWT_SECRET_KEY. Add the former one.`,
      );
  });
}
