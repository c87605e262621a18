import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long a request may go on to arrive once the service stops. */
const ARRIVAL_MS = 5_000;

/** What Node calls a request that is late. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The answer to the last request of each connection whose head came whole. */
const lastAnswers = new WeakMap<Socket, ServerResponse>();

/** Whether the request that is being read was answered before its end, in part at least. */
export function hasBegunToAnswer(socket: Socket): boolean {
  const answer = lastAnswers.get(socket);
  if (answer === undefined) return false;
  return answer.writableFinished ? !answer.req.complete : answer.headersSent;
}

/**
 * Answers 408 to each request that has not come whole some seconds after the service began to stop, and closes its
 * connection. Node looks for late requests only while it listens; from then on it would wait for them without an end.
 */
export function endHalfSentWhenStopping(fastify: FastifyInstance): void {
  const connections = new Set<Socket>();
  fastify.server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const note = ({ socket }: IncomingMessage, answer: ServerResponse) => lastAnswers.set(socket, answer);
  fastify.server.prependListener('request', note);
  fastify.server.prependListener('checkExpectation', note);
  fastify.addHook('preClose', async () => {
    setTimeout(() => {
      for (const socket of connections) if (!isAtWork(socket)) endAsLate(socket, fastify.server);
    }, ARRIVAL_MS).unref();
  });
}

/** Whether a request that came whole waits for its answer, or for the rest of it. */
function isAtWork(socket: Socket): boolean {
  const answer = lastAnswers.get(socket);
  return answer !== undefined && !answer.writableFinished && answer.req.complete;
}

function endAsLate(socket: Socket, server: Server): void {
  server.emit('clientError', Object.assign(new Error('late'), { code: LATE }), socket);
  socket.destroySoon();
}
