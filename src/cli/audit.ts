import { AuditVerifier } from '../audit/audit-verifier.js';
import type { Product } from '../start/product.js';
import { withService } from './with-service.js';

/** `audit verify`: whether an audit event was changed or taken out, or its chain was. Exits with 1 when one was. */
export async function verifyAudit(product: Product): Promise<void> {
  await withService(product, async (service) => {
    let faults = 0;
    const found = service.get(AuditVerifier).verify((events) => console.error(`${events} events`));
    for await (const { chainId, position, what } of found) {
      faults++;
      console.log(`${what}: event ${position} of chain ${chainId}`);
    }
    console.log(faults === 0 ? 'Every event is as it was recorded.' : `Findings: ${faults}.`);
    if (faults > 0) process.exitCode = 1;
  });
}
