import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long a request may go on to arrive once the service stops. */
const ARRIVAL_MS = 5_000;

/** What Node calls a request that is late. */
const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** What Node keeps at the socket of a connection, where its own handler of broken requests looks as well. */
interface NodeSocket {
  /** The answer to the current request, until it is over. */
  _httpMessage?: ServerResponse | null;
  /** The reader of requests, and the one whose head it read last. */
  parser?: { incoming: IncomingMessage | null } | null;
}

/** Whether the request that is being read was answered before its end, in part at least. */
export function hasBegunToAnswer(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as NodeSocket;
  return answer ? answer.headersSent : isHalfRead(socket);
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
  fastify.addHook('preClose', async () => {
    setTimeout(() => {
      for (const socket of connections) if (!isAtWork(socket)) endAsLate(socket, fastify.server);
    }, ARRIVAL_MS).unref();
  });
}

/** Whether a request that came whole waits for its answer, or for the rest of it. */
function isAtWork(socket: Socket): boolean {
  return Boolean((socket as NodeSocket)._httpMessage) && !isHalfRead(socket);
}

function isHalfRead(socket: Socket): boolean {
  return (socket as NodeSocket).parser?.incoming?.complete === false;
}

function endAsLate(socket: Socket, server: Server): void {
  server.emit('clientError', Object.assign(new Error('late'), { code: LATE }), socket);
  socket.destroySoon();
}
