import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** How a request ended. */
export interface RequestEnd {
  id: string;
  method: string;
  /** The route's pattern, never the address, which may hold a token. Null for an unknown path. */
  route: string | null;
  /** Null when the client hung up before it was answered. */
  status: number | null;
  /** The code of the problem that was answered. */
  code: string | undefined;
  seconds: number;
  userId: string | undefined;
}

/** Calls a listener once the answer of a request is on the way, or its client gone. */
export function onRequestEnd(
  request: FastifyRequest,
  reply: FastifyReply,
  listener: (end: RequestEnd) => void,
): void {
  const startedAt = performance.now();

  // Fastify's onResponse comes neither for a client that hung up, nor for an address the router could not read.
  reply.raw.once('close', () =>
    listener({
      id: request.id,
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.raw.writableEnded ? reply.statusCode : null,
      code: request.problemCode,
      seconds: (performance.now() - startedAt) / 1000,
      userId: request.caller?.user.id,
    }),
  );
}

/** Logs one line a request. */
export function logRequest(
  log: Logger,
  { id, method, route, status, code, seconds, userId }: RequestEnd,
): void {
  const duration_ms = Math.round(seconds * 10_000) / 10;
  const fields = { request_id: id, method, route, status, code, duration_ms, user_id: userId };
  log.info({ event: 'request.ended', ...fields }, 'A request ended.');
}
