import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Problem } from '../http/problem.js';

const UNAVAILABLE = 503;

/**
 * What machines ask every few seconds, or beside each request of theirs: a line says something there only when it fails.
 */
const PROBED = new Set<string | null>(['/health/live', '/health/ready', '/metrics', '/sessions/verify']);

/** How a request ended. */
export interface RequestEnd {
  id: string;
  traceId: string | undefined;
  method: string;
  /** The route's pattern, never the address, which may hold a token. Null for an unknown path. */
  route: string | null;
  /** Null when the client hung up before it was answered. */
  status: number | null;
  /** The problem that was answered. */
  problem: Problem | undefined;
  seconds: number;
  userId: string | undefined;
  /** The SYSTEM_ADMIN who acts for the user. */
  adminId: string | undefined;
  /** The organization that the request is for. */
  orgId: string | undefined;
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
      traceId: request.traceId,
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.raw.writableEnded ? reply.statusCode : null,
      problem: request.problem,
      seconds: (performance.now() - startedAt) / 1000,
      userId: request.caller?.user.id,
      adminId: request.caller?.session.acting?.actorId,
      orgId: request.orgId ?? undefined,
    }),
  );
}

/** Logs one line a request. */
export function logRequest(log: Logger, end: RequestEnd): void {
  const level = levelOf(end);
  if (!log.isLevelEnabled(level)) return;
  const { id, traceId, method, route, status, problem, seconds, userId, adminId, orgId } = end;
  const fields = {
    event: 'request.ended',
    request_id: id,
    trace_id: traceId,
    method,
    route,
    status,
    code: problem?.code,
    limit: problem?.extras.limit,
    duration_ms: Math.round(seconds * 10_000) / 10,
    user_id: userId,
    actor_id: adminId,
    org_id: orgId,
  };
  log[level](fields, 'A request ended.');
}

/** What will pass by itself is a warning; what the service or one of its providers did wrong is an error. */
function levelOf({ route, status, problem }: RequestEnd): 'debug' | 'info' | 'warn' | 'error' {
  if (problem?.extras.isExpected) return 'debug';
  if (status === null) return 'info';
  if (status >= 500) return status === UNAVAILABLE ? 'warn' : 'error';
  return status < 300 && PROBED.has(route) ? 'debug' : 'info';
}
