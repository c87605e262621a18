import type { FastifyReply } from 'fastify';

/**
 * A signal that the connection of a request has closed, after the answer or before it. Fastify's own `request.signal`
 * comes as soon as the body has arrived.
 */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
