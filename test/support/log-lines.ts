import { readFileSync } from 'node:fs';
import { AUDIT_TYPES } from '../../src/audit/audit-types.js';

/** A row of the table of events, which may explain several. */
const ROW = /^\| ((?:`\w+\.\w+`(?:, )?)+) \|/gm;

const page = readFileSync('docs/observe.md', 'utf8');
const listed = [...page.matchAll(ROW)].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
const known = new Set([...listed, ...AUDIT_TYPES]);
const faults: string[] = [];

/** Notes a line of a service's log that has no event, or one that docs/observe.md does not list. */
export function noteLine(line: string): void {
  for (const each of line.trimEnd().split('\n')) {
    const event = /"event":"([^"]+)"/.exec(each)?.[1];
    if (event === undefined || !known.has(event)) faults.push(`docs/observe.md does not list ${each}`);
  }
}

/** What was noted since it was last asked for. */
export function takeLogFaults(): string[] {
  return faults.splice(0);
}
