import type pg from 'pg';
import type { Finding } from '../config/preflight/finding.js';
import { OldServer, StandbyAnswered } from './primary-client.js';

/** The address of the database is not one, or not the one that its writer meant. */
export class UnreadableAddress extends Error {
  readonly code = 'ERR_INVALID_URL';
}

/** Where a connection was to lead, and the variable that says so. */
interface Destination {
  variable: string;
  at: string;
  host: string | undefined;
  user: string | undefined;
  database: string | undefined;
}

interface Kind {
  code: string;
  /** Codes of Node and of PostgreSQL, and names that `causeOf` gives to errors without a code. */
  causes: string[];
  text: (to: Destination, message: string) => string;
  fix: (to: Destination) => string;
}

const PROTOCOL_VIOLATION = '08P01';

const KINDS: Kind[] = [
  {
    code: 'DATABASE_UNREACHABLE',
    causes: ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT'],
    text: (to) => `PostgreSQL does not answer at ${to.at}, which ${to.variable} names.`,
    fix: () => 'See that it runs and that this machine may reach it.',
  },
  {
    code: 'DATABASE_HOST_UNKNOWN',
    causes: ['ENOTFOUND', 'EAI_AGAIN'],
    text: (to) => `No address is known for "${to.host}", the host in ${to.variable}.`,
    fix: () => 'Correct the name, or see that this machine can resolve it.',
  },
  {
    code: 'DATABASE_URL_UNREADABLE',
    causes: ['ERR_INVALID_URL'],
    text: (to) => `${to.variable} cannot be read as an address.`,
    fix: () =>
      'Write special characters of the password percent-encoded: # as %23, % as %25, / as %2F, : as %3A, ? as %3F, @ as %40.',
  },
  {
    code: 'DATABASE_MISSING',
    causes: ['3D000'],
    text: (to) => `There is no database "${to.database}" (${to.variable}).`,
    fix: (to) => `Make it with: createdb --owner <role> ${to.database}`,
  },
  {
    code: 'DATABASE_REFUSES_THE_ROLE',
    causes: ['28P01', '28000', 'SASL'],
    text: (to) => `PostgreSQL at ${to.at} does not log the role "${to.user}" in.`,
    fix: (to) => `See that the role exists, and check the password in ${to.variable} and pg_hba.conf.`,
  },
  {
    code: 'POOLER_REFUSES_SETTINGS',
    causes: ['POOLER_SETTINGS'],
    text: (to, message) => `The pooler at ${to.at}, which ${to.variable} names, refuses: ${message}.`,
    fix: () => 'Let PgBouncer have: ignore_startup_parameters = statement_timeout, lock_timeout',
  },
  {
    code: 'POOLER_WITHOUT_SERVER',
    causes: ['POOLER_SERVER'],
    text: (to, message) =>
      `The pooler at ${to.at}, which ${to.variable} names, has no connection to PostgreSQL: ${message}.`,
    fix: () => 'See that PostgreSQL runs, and that the pooler has its address and may log in there.',
  },
  {
    code: 'DATABASE_RIGHTS_MISSING',
    causes: ['42501'],
    text: (to, message) => `The role "${to.user}" in ${to.variable} lacks a right: ${message}.`,
    fix: () => 'Grant it what docs/deploy/roles.sql grants.',
  },
  {
    code: 'DATABASE_WITHOUT_TLS',
    causes: ['NO_TLS'],
    text: (to) => `PostgreSQL at ${to.at} does not speak TLS, which sslmode in ${to.variable} asks for.`,
    fix: () => 'Switch TLS on there (ssl = on), or take sslmode out where the network is yours alone.',
  },
  {
    code: 'DATABASE_CERTIFICATE',
    causes: ['CERTIFICATE'],
    text: (to, message) => `The certificate of PostgreSQL at ${to.at} is not accepted: ${message}.`,
    fix: (to) =>
      `Name its authority in ${to.variable} with sslrootcert=<file>, and the host as the certificate does.`,
  },
  {
    code: 'DATABASE_IS_A_STANDBY',
    causes: ['STANDBY'],
    text: (to) => `${to.variable} leads to a standby, ${to.at}, which takes no changes.`,
    fix: () => 'Name the primary.',
  },
  {
    code: 'DATABASE_TOO_OLD',
    causes: ['OLD'],
    text: (to, message) => `PostgreSQL at ${to.at} is ${message}.`,
    fix: () => 'Upgrade it to 14 or newer.',
  },
];

/** Whatever else the server answers, such as that it starts up or has no connection left. */
const REFUSED: Kind = {
  code: 'DATABASE_REFUSES',
  causes: [],
  text: (to, message) => `PostgreSQL at ${to.at} refuses: ${message}.`,
  fix: () => 'Look into its log.',
};

/**
 * Says what is wrong with a database, with its address or with the role. Returns null for an error of another kind.
 * There is no client where the address could not be read.
 */
export function databaseFinding(error: unknown, variable: string, client?: pg.Client): Finding | null {
  const cause = causeOf(error);
  const kind = KINDS.find(({ causes }) => causes.includes(cause)) ?? (isOfServer(error) ? REFUSED : null);
  if (kind === null) return null;

  const { host, port, user, database } = client ?? {};
  const to = { variable, at: `${host}:${port}`, host, user, database };
  const text = kind.text(to, (error as Error).message);
  return { code: kind.code, severity: 'error', text, fix: kind.fix(to) };
}

function isOfServer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error;
}

function causeOf(error: unknown): string {
  if (error instanceof StandbyAnswered) return 'STANDBY';
  if (error instanceof OldServer) return 'OLD';
  const { code = '', syscall = '', message = '' } = error as NodeJS.ErrnoException;
  // The file of sslrootcert.
  if (syscall === 'open') return 'CERTIFICATE';
  if (/CERT|SELF_SIGNED|ISSUER|ERR_TLS|ERR_SSL/.test(code)) return 'CERTIFICATE';
  if (code === PROTOCOL_VIOLATION) return causeOfPooler(message);
  return code || causeIn(message);
}

/** What PgBouncer means, which gives most of its refusals the same code, and those that it passes on from PostgreSQL. */
function causeOfPooler(message: string): string {
  if (message.startsWith('unsupported startup parameter')) return 'POOLER_SETTINGS';
  if (/^(no such database|database ".+" does not exist)/.test(message)) return '3D000';
  if (/^(no such user|role ".+" does not exist|"?\w+"? authentication failed)/.test(message)) return '28P01';
  if (/server login|cannot connect to server|query_wait_timeout/.test(message)) return 'POOLER_SERVER';
  return PROTOCOL_VIOLATION;
}

/** What pg means by an error without a code. */
function causeIn(message: string): string {
  if (message.startsWith('SASL')) return 'SASL';
  if (message.includes('does not support SSL')) return 'NO_TLS';
  if (message.includes('terminated unexpectedly')) return 'ECONNRESET';
  return message.includes('timeout') ? 'ETIMEDOUT' : '';
}
