import type { FastifyReply, FastifyRequest } from 'fastify';

/** How a request ended. */
export interface RequestEnd {
  id: string;
  method: string;
  /** The route's pattern, never the address, which may hold a token. Null for a path that is none of ours. */
  route: string | null;
  /** Null when the client hung up before it was answered. */
  status: number | null;
  seconds: number;
  userId: string | undefined;
}

/** Tells how a request ended, once its answer is on the way or its client gone. */
export function tellEnd(request: FastifyRequest, reply: FastifyReply, tell: (end: RequestEnd) => void): void {
  const startedAt = performance.now();

  // Fastify's onResponse comes neither for a client that hung up, nor for an address the router could not read.
  reply.raw.once('close', () =>
    tell({
      id: request.id,
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.raw.writableEnded ? reply.statusCode : null,
      seconds: (performance.now() - startedAt) / 1000,
      userId: request.caller?.user.id,
    }),
  );
}
