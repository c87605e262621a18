import type { Environment } from '../environment.js';
import type { Finding } from './finding.js';

/** When Node.js stops mending a release line (nodejs/Release, schedule.json). */
const ENDS_OF_LIFE: Record<number, string> = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
};

/** Whether the Node that runs this gets no more security fixes. `dev` is served to one person. */
export function agedNode(
  { environment }: Environment,
  version = process.versions.node,
  now = new Date(),
): Finding[] {
  const line = Number.parseInt(version, 10);
  const end = ENDS_OF_LIFE[line];
  if (environment === 'dev' || end === undefined || now < new Date(end)) return [];
  return [
    {
      code: 'NODE_END_OF_LIFE',
      severity: 'warning',
      text: `Node ${version} gets no security fixes since ${end}.`,
      fix: 'Run the service on a newer one, such as that of .nvmrc.',
    },
  ];
}
