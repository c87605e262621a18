import type { Fault } from '../../config/preflight/fault.js';
import { preflight } from '../../config/preflight/preflight.js';
import { unknownSettings } from '../../config/preflight/unknown-settings.js';
import { readEnvironment } from '../../config/read-environment.js';
import { provideDatabase } from '../../provide-database.js';
import { examineDatabase } from './database.js';
import { Deployment } from './deployment.js';
import { examineKeys } from './keys.js';

const UNREACHABLE: Fault = {
  code: 'UNREACHABLE',
  severity: 'error',
  text: 'Nobody answers at the address.',
  cure: 'See that it is the address of the API, with its path, and that the certificate is valid.',
};

/**
 * `doctor [address]`: what is wrong with this configuration, and with the deployment. Exits with 1 for an error, 2
 * where nobody answers.
 */
export async function doctor(address: string | undefined, { json = false }): Promise<void> {
  const configured = readEnvironment();
  const report = (line: string) => console.error(line);
  report('The configuration…');
  const faults = [...preflight(configured), ...unknownSettings()];

  report('The keys…');
  faults.push(...(await examineKeys(configured)));

  report('The database…');
  const { environment, stop } = await provideDatabase(configured, report);
  faults.push(...(await examineDatabase(environment).finally(stop)));

  if (address !== undefined) {
    const trimmed = address.replace(/\/+$/, '');
    report(`${trimmed}…`);
    faults.push(...((await new Deployment(trimmed, environment).examine()) ?? [UNREACHABLE]));
  }

  console.log(json ? JSON.stringify(faults) : describe(faults));
  if (faults.some(({ severity }) => severity === 'error')) process.exitCode = 1;
  if (faults.includes(UNREACHABLE)) process.exitCode = 2;
}

function describe(faults: Fault[]): string {
  if (faults.length === 0) return 'Nothing was found.';
  return faults.map(({ code, severity, text, cure }) => `${severity}  ${code}: ${text} ${cure}`).join('\n');
}
