import type { Finding } from '../../config/preflight/finding.js';
import { agedNode } from '../../config/preflight/node-release.js';
import { preflight } from '../../config/preflight/preflight.js';
import { unknownSettings } from '../../config/preflight/unknown-settings.js';
import { readEnvironment } from '../../config/read-environment.js';
import type { Product } from '../../start/product.js';
import { provideDatabase } from '../../start/provide-database.js';
import { examineDatabase } from './database.js';
import { Deployment } from './deployment.js';
import { examineEndpoints } from './events.js';
import { examineIdentityProviders } from './identity-providers.js';
import { examineKeys } from './keys.js';

const UNREACHABLE: Finding = {
  code: 'UNREACHABLE',
  severity: 'error',
  text: 'No service answers at the address.',
  fix: 'See that it is the address of the API, with its path, and that the certificate is valid.',
};

/**
 * `doctor [address]`: what is wrong with this configuration, and with the deployment. Exits with 1 for an error, 2
 * where the service does not answer.
 */
export async function doctor(product: Product, address: string | undefined, { json = false }): Promise<void> {
  const configured = await readEnvironment();
  const report = (line: string) => console.error(line);
  report('The configuration…');
  const findings = [...preflight(configured), ...agedNode(configured), ...unknownSettings()];

  report('The keys and the providers…');
  findings.push(...(await examineKeys(configured)));
  findings.push(...(await examineIdentityProviders(configured)));
  findings.push(...(await examineEndpoints(configured)));

  report('The database…');
  const { environment, stop } = await provideDatabase(configured, report);
  findings.push(...(await examineDatabase(environment, product).finally(stop)));

  if (address !== undefined) {
    const trimmed = address.replace(/\/+$/, '');
    report(`${trimmed}…`);
    findings.push(...((await new Deployment(trimmed, environment).examine()) ?? [UNREACHABLE]));
  }

  console.log(json ? JSON.stringify(findings) : describe(findings));
  if (findings.some(({ severity }) => severity === 'error')) process.exitCode = 1;
  if (findings.includes(UNREACHABLE)) process.exitCode = 2;
}

function describe(findings: Finding[]): string {
  if (findings.length === 0) return 'Nothing was found.';
  return findings.map(({ code, severity, text, fix }) => `${severity}  ${code}: ${text} ${fix}`).join('\n');
}
