import { OperatorError } from '../config/operator-error.js';
import { LOCK_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from './pool.js';
import { SESSION_SETTINGS } from './session-settings.js';

/** A setting as PostgreSQL has it for a connection that sets nothing. */
interface Setting {
  name: string;
  source: string;
  value: string;
}

/** What a pooler keeps the service from setting, and what the role must then have. Time limits may be shorter. */
const OF_THE_ROLE: { name: string; wanted: string; isMet: (value: string) => boolean }[] = [
  {
    name: 'default_transaction_isolation',
    wanted: SESSION_SETTINGS.default_transaction_isolation,
    isMet: (value) => value === SESSION_SETTINGS.default_transaction_isolation,
  },
  { name: 'lock_timeout', wanted: `${LOCK_TIMEOUT_MS}ms`, isMet: isWithin(LOCK_TIMEOUT_MS) },
  { name: 'statement_timeout', wanted: `${STATEMENT_TIMEOUT_MS}ms`, isMet: isWithin(STATEMENT_TIMEOUT_MS) },
];

/**
 * Throws an OperatorError where a pooler stands in between that shares its connections among clients, and the role lacks
 * what the service cannot set there: a pooler drops what a connection asks for at its start, and a SET reaches whichever
 * connection comes next. TimeZone, DateStyle and standard_conforming_strings are not among them: PgBouncer keeps these
 * for each client.
 */
export async function refuseUnsetSession(
  query: (sql: string) => Promise<Setting[]>,
  variable: string,
): Promise<void> {
  const names = OF_THE_ROLE.map(({ name }) => `'${name}'`).join(', ');
  const settings = await query(
    `SELECT name, source, reset_val AS value, current_user AS role FROM pg_settings WHERE name IN (${names})`,
  );
  if (settings.some(({ name, source }) => name === 'statement_timeout' && source === 'client')) return;

  const unmet = OF_THE_ROLE.filter(
    (each) => !settings.some(({ name, value }) => name === each.name && each.isMet(value)),
  );
  if (unmet.length === 0) return;
  throw new OperatorError({
    code: 'POOLER_DROPS_SETTINGS',
    severity: 'error',
    text: `A pooler stands at ${variable}, and its connections lack what the service would set: ${unmet.map(({ name }) => name).join(', ')}.`,
    fix: `Give them to the role: ${unmet.map(({ name, wanted }) => `ALTER ROLE <role> SET ${name} = '${wanted}';`).join(' ')} Then reload the pooler, with RECONNECT in PgBouncer.`,
  });
}

function isWithin(limitMs: number) {
  return (value: string) => Number(value) > 0 && Number(value) <= limitMs;
}
