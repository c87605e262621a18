import { HttpException } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/failures.js';
import * as errors from './errors.js';
import { Problem } from './problem.js';

/** The framework's own refusals, by status. */
const BY_STATUS: Record<number, new () => Problem> = {
  400: errors.BadRequest,
  404: errors.NotFound,
  408: errors.RequestTimeout,
  413: errors.PayloadTooLarge,
  414: errors.UriTooLong,
  415: errors.UnsupportedMediaType,
  431: errors.HeadersTooLarge,
  503: errors.ServiceUnavailable,
};

/**
 * What a client is told of an error: a problem as it is, the framework's refusals by status, all else nothing but
 * 500.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseUnavailable(error)) return new errors.ServiceUnavailable();

  const ProblemOfStatus = BY_STATUS[statusOf(error)] ?? errors.InternalError;
  return new ProblemOfStatus();
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const isFastifyError = error instanceof Error && 'statusCode' in error && 'code' in error;
  return isFastifyError ? Number(error.statusCode) : 500;
}
