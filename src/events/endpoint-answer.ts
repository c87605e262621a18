import { retryAfterSeconds } from '../http/retry-after.js';
import { Unavailable } from '../queues/unavailable.js';

/** The endpoint takes nothing at present. */
const UNAVAILABLE = [429, 502, 503, 504];

/** The endpoint takes no request as we send it, or is not there: an operator has to repair that. */
const REFUSED = [401, 403, 404, 410];

/**
 * The error that reports an answer by which an endpoint did not take an event. A plain Error is about that event
 * alone, and holds up no other: a redirect, which is not followed, and all statuses that are not listed above.
 */
export function failureOf(status: number, retryAfter: string | undefined): Error {
  const message = `the endpoint answered ${status}`;
  const isRefused = REFUSED.includes(status);
  if (!isRefused && !UNAVAILABLE.includes(status)) return new Error(message);
  return new Unavailable(message, { isRefused, retryAfterSeconds: retryAfterSeconds(retryAfter) });
}
