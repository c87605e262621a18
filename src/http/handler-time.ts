import type { FastifyReply } from 'fastify';
import type { Environment } from '../config/environment.js';
import { ServiceUnavailable } from './errors.js';

const ONE_SECOND_MS = 1000;

/**
 * Answers for a handler that is still at work when its time is over; a later answer of the handler is dropped. Returns
 * a function that stops the clock. Fastify's own `handlerTimeout` takes the end of a body for the end of the request,
 * and from then on waits forever.
 */
export function limitHandlerTime({ handlerTimeoutSeconds }: Environment, reply: FastifyReply): () => void {
  const giveUp = () => {
    if (reply.sent) return;
    if (reply.raw.headersSent) reply.raw.destroy();
    else reply.send(new ServiceUnavailable());
  };
  const timer = setTimeout(giveUp, handlerTimeoutSeconds * ONE_SECOND_MS).unref();
  return () => clearTimeout(timer);
}
