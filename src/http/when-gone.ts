import type { FastifyReply } from 'fastify';

/**
 * A signal for when nobody waits for an answer any longer, whether or not it was given. Fastify's own
 * `request.signal` comes as soon as the body has arrived.
 */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
