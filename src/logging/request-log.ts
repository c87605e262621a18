import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/** Logs one line a request: the route's pattern, never the address, which may hold a token. */
export function logRequests(fastify: FastifyInstance, log: Logger): void {
  fastify.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.is404 ? null : request.routeOptions.url,
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime * 10) / 10,
        user_id: request.caller?.user.id,
      },
      'request',
    );
  });
}
