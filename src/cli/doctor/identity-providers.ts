import { Providers } from '../../auth/providers/providers.js';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';

/** Reads the endpoints of each identity provider, as the first login through it does. */
export async function examineIdentityProviders(environment: Environment): Promise<Finding[]> {
  const findings = await Promise.all(
    new Providers(environment).all.map(({ id, endpoints }) =>
      endpoints().then(
        () => [],
        (error: Error) => [unreadable(id, error)],
      ),
    ),
  );
  return findings.flat();
}

function unreadable(id: string, { message }: Error): Finding {
  return {
    code: 'PROVIDER_UNREADABLE',
    severity: 'warning',
    text: `No login through the provider ${id} could begin from here: ${message}.`,
    fix: 'Compare its issuer with the document at /.well-known/openid-configuration below it, and see that this machine may reach it.',
  };
}
