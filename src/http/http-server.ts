import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Environment } from '../config/environment.js';

/** Bytes of the request line and the headers together. */
const HEAD_LIMIT = 16 * 1024;

const ONE_SECOND_MS = 1000;

/** Node's HTTP server, with time limits for slow clients, and without any answer of its own. */
export function httpServer(environment: Environment) {
  const requestTimeout = environment.requestTimeoutSeconds * ONE_SECOND_MS;
  const handlerTimeout = environment.handlerTimeoutSeconds * ONE_SECOND_MS;
  const keepAliveTimeout = environment.keepAliveSeconds * ONE_SECOND_MS;

  return (answer: RequestListener): Server => {
    const server = createServer(
      {
        maxHeaderSize: HEAD_LIMIT,
        headersTimeout: requestTimeout,
        requestTimeout,
        // Late requests are looked for at intervals; by default the next look may be half a minute away.
        connectionsCheckingInterval: requestTimeout / 5,
        keepAliveTimeout,
        requireHostHeader: false,
      },
      answer,
    );

    // Past some number of headers Node drops the rest, X-Forwarded-For among them if the proxy puts it last.
    server.maxHeadersCount = 0;
    // Nothing moves on a connection whose client does not read its answer, nor while a handler is at work.
    server.setTimeout(2 * handlerTimeout);

    // Requests that Node would answer by itself, or not at all.
    server.on('checkExpectation', answer);
    server.on('connect', (_request, socket) => {
      server.emit('clientError', new Error('no proxy'), socket);
      // Nobody reads it from here on, so that it would not be noticed when the client hangs up.
      (socket as Socket).destroySoon();
    });
    return server;
  };
}
