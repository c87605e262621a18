import { type BoundedAnswer, requestBounded } from '../../outbound/bounded-request.js';

const TIME_LIMIT_MS = 10_000;

/** Asks the service below an address, and reads its answer whole. A redirect is an answer as any other. */
export function ask(address: string, path: string, request: RequestInit = {}): Promise<BoundedAnswer> {
  return requestBounded(`${address}${path}`, TIME_LIMIT_MS, { ...request, redirect: 'manual' });
}
