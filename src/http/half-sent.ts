import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long a request may go on to arrive once the service stops, or once the one before it is answered. */
const ARRIVAL_MS = 5_000;

/** What Node calls a request that is late. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The answer to the last request of each connection whose head came whole. */
const lastAnswers = new WeakMap<Socket, ServerResponse>();

/** The answers on each connection that are not sent yet, in the order of their requests (RFC 9112 §9.3.2). */
const unsentAnswers = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Whether a further answer would stand in the middle of another one, or behind the last one: the request that is being
 * read was answered before its end, in part at least, or its connection was to close.
 */
export function hasBegunToAnswer(socket: Socket): boolean {
  const current = currentAnswer(socket);
  if (current !== undefined) return current.headersSent;
  const last = lastAnswers.get(socket);
  return last !== undefined && !(last.req.complete && last.shouldKeepAlive);
}

/** The answer that is being sent, or is to be sent next. */
function currentAnswer(socket: Socket): ServerResponse | undefined {
  for (const answer of unsentAnswers.get(socket) ?? []) if (!answer.writableFinished) return answer;
  return undefined;
}

function note({ socket }: IncomingMessage, answer: ServerResponse): void {
  const unsent = unsentAnswers.get(socket) ?? new Set();
  unsentAnswers.set(socket, unsent.add(answer));
  lastAnswers.set(socket, answer);
  answer.once('close', () => unsent.delete(answer));
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
  fastify.server.prependListener('request', note);
  fastify.server.prependListener('checkExpectation', note);
  fastify.addHook('preClose', async () => {
    setInterval(() => {
      for (const socket of connections) if (!isAtWork(socket)) endAsLate(socket, fastify.server);
    }, ARRIVAL_MS).unref();
  });
}

/** Whether a request that came whole waits for its answer, or for the rest of it. */
function isAtWork(socket: Socket): boolean {
  return currentAnswer(socket)?.req.complete ?? false;
}

function endAsLate(socket: Socket, server: Server): void {
  server.emit('clientError', Object.assign(new Error('late'), { code: LATE }), socket);
  socket.destroySoon();
}
