import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment.js';
import { BadRequest, HeadersTooLarge, PayloadTooLarge, RequestTimeout } from './errors.js';
import { hasBegunToAnswer } from './half-sent.js';
import { problemBody } from './problem.js';
import { responseHeaders } from './response-headers.js';

/** Answers a request that Node could not read: on the bare socket, because there is nothing else yet. */
export function answerBrokenRequest(environment: Environment, log: Logger) {
  const headers = Object.entries(responseHeaders(environment)).map((header) => header.join(': '));

  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    // The client would take a second answer for that of its next request.
    if (hasBegunToAnswer(socket)) {
      socket.destroySoon();
      return;
    }

    const problem = problemFor(error);
    const requestId = randomUUID();
    const fields = { request_id: requestId, code: problem.code, reason: error.code };
    log.info({ event: 'request.broken', ...fields }, 'The service could not read a request.');
    const body = JSON.stringify(problemBody(problem, requestId, environment.baseApiUrl));
    socket.end(
      [
        `HTTP/1.1 ${problem.getStatus()} ${problem.title}`,
        'content-type: application/problem+json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        `date: ${new Date().toUTCString()}`,
        `x-request-id: ${requestId}`,
        ...headers,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  };
}

function problemFor({ code }: NodeJS.ErrnoException) {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HeadersTooLarge();
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new PayloadTooLarge();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RequestTimeout();
    default:
      return new BadRequest();
  }
}
