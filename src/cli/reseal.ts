import { SealedSecretsRepository } from '../accounts/sealed-secrets.repository.js';
import { AuditSeals } from '../audit/audit-seals.js';
import { TotpService } from '../auth/second-factor/totp.service.js';
import type { Product } from '../start/product.js';
import { withService } from './with-service.js';

type Service = Parameters<Parameters<typeof withService>[1]>[0];

/**
 * `reseal`: brings what is encrypted or proven with a former secret of SVC_JWT_SECRET_KEY under the first one, so that
 * the former can be removed. Leaves alone what is under the first one already, so that it can be called again.
 */
export async function reseal(product: Product): Promise<void> {
  await withService(product, async (service) => {
    await sealEvents(service);
    await encryptSecrets(service);
  });
}

/** Seals the audit events that a former secret linked. */
async function sealEvents(service: Service): Promise<void> {
  const { sealed, unproven } = await service.get(AuditSeals).renew();
  console.log(`${sealed} audit events sealed with the first key`);
  if (unproven === 0) return;
  console.error(
    `${unproven} audit events are proven by no key and got no seal; see: npm run cli -- audit verify`,
  );
  process.exitCode = 1;
}

/** Encrypts the secrets of the authenticator apps anew. */
async function encryptSecrets(service: Service): Promise<void> {
  const [secrets, totp] = [service.get(SealedSecretsRepository), service.get(TotpService)];
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
}
