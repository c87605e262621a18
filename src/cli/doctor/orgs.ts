import type { DataSource } from 'typeorm';
import { OrgsRepository } from '../../accounts/orgs.repository.js';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';
import { knowsClients } from '../../http/trusted-proxies.js';

/** As many as a line has room for. */
const MOST_NAMED = 10;

/** Organizations without an admin who can log in, and those whose networks refuse every member. */
export async function examineOrgs(database: DataSource, environment: Environment): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { withoutAdmin, withNetworks } = await new OrgsRepository(database).findDoubtful(MOST_NAMED);
  if (withoutAdmin.length > 0)
    findings.push({
      code: 'ORG_WITHOUT_ADMIN',
      severity: 'warning',
      text: `Organizations whose members have no admin who can log in: ${withoutAdmin.join(', ')}.`,
      fix: 'As a SYSTEM_ADMIN, make one of the members an ORG_ADMIN, or enable the account of their admin.',
    });
  if (withNetworks.length > 0 && !knowsClients(environment))
    findings.push({
      code: 'POLICY_WITHOUT_ADDRESSES',
      severity: 'error',
      text: `The service does not know where its clients are, and these organizations admit networks alone, so they refuse every member: ${withNetworks.join(', ')}.`,
      fix: 'Name the proxies in SVC_TRUSTED_PROXIES, or set it to none where clients reach the service directly.',
    });
  return findings;
}
