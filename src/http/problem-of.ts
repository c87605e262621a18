import { HttpException } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/failures.js';
import * as errors from './errors.js';
import { Problem } from './problem.js';

/** The problems for the framework's own errors, by status. A product's guard that returns false is a 403 of Nest's. */
const BY_STATUS: Record<number, new () => Problem> = {
  400: errors.BadRequest,
  401: errors.Unauthenticated,
  403: errors.InsufficientRole,
  404: errors.NotFound,
  408: errors.RequestTimeout,
  413: errors.PayloadTooLarge,
  414: errors.UriTooLong,
  415: errors.UnsupportedMediaType,
  431: errors.HeadersTooLarge,
  503: errors.ServiceUnavailable,
};

/**
 * The problem that a client gets for an error: a problem itself, the framework's errors by their status, and for any
 * other error a 500 that says nothing else.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseUnavailable(error)) return new errors.ServiceUnavailable();

  const ProblemOfStatus = BY_STATUS[statusOf(error)] ?? errors.InternalError;
  return new ProblemOfStatus();
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  // An error of another library, such as Stripe's, may have a status too, which is not the client's business.
  const isFastifyError = error instanceof Error && 'code' in error && String(error.code).startsWith('FST_');
  return isFastifyError && 'statusCode' in error ? Number(error.statusCode) : 500;
}
