import type { Logger } from 'pino';
import type { RequestEnd } from './request-end.js';

/** Logs one line a request. */
export function logRequest(log: Logger, { id, method, route, status, seconds, userId }: RequestEnd): void {
  const duration_ms = Math.round(seconds * 10_000) / 10;
  log.info({ request_id: id, method, route, status, duration_ms, user_id: userId }, 'request');
}
