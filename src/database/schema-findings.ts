import type { Finding } from '../config/preflight/finding.js';
import type { SchemaDifference } from './schema-difference.js';

/** What an operator has to know of a schema that is not that of this version. */
export function schemaFindings({ missing, unknown }: SchemaDifference): Finding[] {
  const findings: Finding[] = [];
  if (missing.length > 0) findings.push(schemaBehind(missing));
  if (unknown.length > 0)
    findings.push({
      code: 'SCHEMA_AHEAD',
      severity: 'warning',
      text: `The database is newer than this version: it has ${unknown.join(', ')}.`,
      fix: 'Run the version that the other replicas run.',
    });
  return findings;
}

/** More names than these say no more to an operator. */
const MOST_NAMES = 3;

/** `because` says why the process that found it does not migrate itself. */
export function schemaBehind(missing: string[], because = ''): Finding {
  const count = missing.length === 1 ? 'a migration' : `${missing.length} migrations`;
  return {
    code: 'SCHEMA_BEHIND',
    severity: 'error',
    text: `The database lacks ${count} of this version${because}: ${shortened(missing)}.`,
    fix: 'Run: npm run cli -- migrate',
  };
}

function shortened(names: string[]): string {
  return names.length > MOST_NAMES ? `from ${names[0]} to ${names.at(-1)}` : names.join(', ');
}
