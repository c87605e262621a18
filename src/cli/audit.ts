import { AuditVerifier } from '../audit/audit-verifier.js';
import { withService } from './with-service.js';

/** `audit verify`: whether an audit event was changed or taken out. Exits with 1 when one was. */
export async function verifyAudit(): Promise<void> {
  await withService(async (service) => {
    let findings = 0;
    const seen = service.get(AuditVerifier).verify((events) => console.error(`${events} events`));
    for await (const { chainId, position, what } of seen) {
      findings++;
      console.log(`${what}: event ${position} of chain ${chainId}`);
    }
    console.log(findings === 0 ? 'Every event is as it was recorded.' : `Findings: ${findings}.`);
    if (findings > 0) process.exitCode = 1;
  });
}
