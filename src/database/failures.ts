import { isNativeError } from 'node:util/types';
import type { DatabaseError } from 'pg';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { Contended } from './contention.js';
import { Unanswered } from './pipelined-connections.js';
import { StandbyAnswered } from './primary-client.js';

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';

/** Error classes of PostgreSQL that say nothing about the statement: it may well succeed in a moment. */
const PASSING_CLASSES = [
  '08', // connection exception
  '40', // transaction rollback: deadlock, serialization
  '53', // insufficient resources
  '55', // object not in prerequisite state: lock not available
  '57', // operator intervention: shutdown, statement cut off
  '25', // read-only: the primary has moved
  '26', // invalid statement name: the statement before, which was to prepare this one, failed
];

const NETWORK_ERRORS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];

// Messages of pg and its pool that come without a code.
const POOL_ERRORS =
  /^(timeout exceeded when trying to connect|query read timeout|connection terminated|client was closed|client has encountered a connection error)/i;

// The codes of a connection that breaks: an administrator or a crash ended it, or the network did. Or it is given up,
// because a statement failed that was to prepare those sent behind it.
const BREAKS = ['57P01', '57P02', '26000', 'ECONNRESET', 'EPIPE'];

// What pg says of statements that have no such code. It leaves out "unexpectedly" once the client is ending, as it is
// when the statement before these has failed.
const TERMINATED = /^Connection terminated( unexpectedly)?$/;

/** Errors of our own that say the same. */
const OURS = [StandbyAnswered, Unanswered, Contended];

/** Whether a statement failed because another row has the value already. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

/** The index by which a statement failed because another row has the value already; null where it failed otherwise. */
export function uniqueViolationOf(error: unknown): string | null {
  return isUniqueViolation(error)
    ? String((error as QueryFailedError<DatabaseError>).driverError.constraint)
    : null;
}

/** Whether a statement failed because two transactions waited for each other. Another try may well succeed. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === DEADLOCK;
}

function codeOf(error: unknown): unknown {
  return error instanceof QueryFailedError && 'code' in error.driverError
    ? error.driverError.code
    : undefined;
}

/**
 * Whether a connection broke under a statement. Another one may well be good.
 *
 * `instanceof Error` would not know the network errors that Node makes outside of the realm this runs in, such as
 * Jest's.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return BREAKS.includes(code) || TERMINATED.test(error.message);
}

/** Whether an error means that the database is down or overloaded, rather than that the statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isConnectionGone(error) || OURS.some((kind) => error instanceof kind)) return true;
  const cause = error instanceof QueryFailedError ? error.driverError : error;
  if (!isNativeError(cause)) return false;

  const code = 'code' in cause ? String(cause.code) : '';
  const isSqlState = code.length === 5 && 'severity' in cause;
  return isSqlState
    ? PASSING_CLASSES.includes(code.slice(0, 2))
    : NETWORK_ERRORS.includes(code) || POOL_ERRORS.test(cause.message);
}

/** Whether TypeORM found that a connection broke between two statements of a transaction. */
function isConnectionGone(error: unknown): boolean {
  return (
    error instanceof QueryRunnerAlreadyReleasedError ||
    error instanceof QueryRunnerProviderAlreadyReleasedError
  );
}
