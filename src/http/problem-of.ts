import { STATUS_CODES } from 'node:http';
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

/** An exception of Nest that a product throws with another status: its code is the name of the status (RFC 9110). */
class OfStatus extends Problem {
  constructor(
    status: number,
    private readonly phrase: string,
    detail: string,
  ) {
    super(status, detail);
  }

  override get code(): string {
    return this.phrase.replace(/'/g, '').replace(/(?:^|[ -])(\w)/g, (_, letter) => letter.toUpperCase());
  }
}

/**
 * The problem that a client gets for an error: a problem itself, Nest's exceptions and the framework's errors by their
 * status, and for any other error a 500 that says nothing else.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseUnavailable(error)) return new errors.ServiceUnavailable();

  const status = statusOf(error);
  const Known = BY_STATUS[status];
  if (Known) return new Known();
  return (error instanceof HttpException && ofStatus(status, error)) || new errors.InternalError();
}

/** The message of a refusal is written for the client; that of a failure, or of an error within, may not be. */
function ofStatus(status: number, error: HttpException): Problem | null {
  const phrase = STATUS_CODES[status];
  if (phrase === undefined || status < 400 || status === 500) return null;
  const isForClient = status < 500 && !(error.getResponse() instanceof Error);
  return new OfStatus(status, phrase, isForClient ? error.message : `${phrase}.`);
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  // An error of another library, such as Stripe's, may have a status too, which is not the client's business.
  const isFastifyError = error instanceof Error && 'code' in error && String(error.code).startsWith('FST_');
  return isFastifyError && 'statusCode' in error ? Number(error.statusCode) : 500;
}
