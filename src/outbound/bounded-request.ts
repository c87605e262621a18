import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

/** Bytes of an answer that is read whole. A token or a profile has a few thousand. */
const SIZE_LIMIT = 256 * 1024;

/** Connections stay open for the next request, but not as long as servers keep them: Node's and others hang up after five seconds. */
const KEPT = { keepAlive: true, timeout: 4_000 };
const PLAIN = { client: http, agent: new http.Agent(KEPT) };
const SECURE = { client: https, agent: new https.Agent(KEPT) };

/** An answer that has come to its end. */
export interface BoundedAnswer {
  isOk: boolean;
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Asks another service once, and reads its answer to the end. Rejects when the answer redirects, unless the request says
 * otherwise, when it is too large, and when it is not whole in time.
 */
export async function requestBounded(
  url: string,
  timeLimitMs: number,
  request: RequestInit,
): Promise<BoundedAnswer> {
  const signal = AbortSignal.timeout(timeLimitMs);
  const response = await fetchBounded(url, { ...request, signal }, SIZE_LIMIT);
  const { ok: isOk, status, headers } = response;
  return { isOk, status, headers, text: await response.text() };
}

/** What is sent with a request for the head of its answer. */
interface HeadRequest {
  method: string;
  headers?: Record<string, string>;
  body?: string;
}

/**
 * Asks another service once, for status and headers alone, through Node's own client: fetch takes three times the
 * processor time. A redirect is an answer as any other. Rejects when they are not there in time.
 */
export function requestHead(
  url: string,
  timeLimitMs: number,
  { body, ...request }: HeadRequest,
): Promise<Pick<IncomingMessage, 'statusCode' | 'headers'>> {
  const address = new URL(url);
  const { client, agent } = address.protocol === 'https:' ? SECURE : PLAIN;
  return new Promise((resolve, reject) => {
    const asked = client.request(address, { ...request, agent }, (answer) => {
      resolve(answer);
      dropBody(answer);
    });
    // Without a listener, Node drops an answer that switches protocols, and reports no error.
    asked.on('upgrade', (answer, socket) => {
      resolve(answer);
      socket.destroy();
    });
    const timer = setTimeout(() => asked.destroy(new DOMException('too late', 'TimeoutError')), timeLimitMs);
    asked.on('error', reject);
    asked.on('close', () => clearTimeout(timer));
    asked.end(body);
  });
}

/** Nothing of a body is read but what came with the head. Its connection serves again if that was all of it. */
function dropBody(answer: IncomingMessage): void {
  answer.resume();
  process.nextTick(() => {
    if (!answer.complete) answer.destroy();
  });
}

/**
 * Fetches an answer of at most so many bytes; its signal ends it until the last of them is read. Follows no redirect,
 * which would take the request elsewhere.
 */
export async function fetchBounded(
  url: string | URL | Request,
  request: RequestInit,
  sizeLimit: number,
): Promise<Response> {
  const response = await fetch(url, { redirect: 'error', ...request });
  // Given to the pipe too: fetch of Node 20 and 22 forgets the signal once the garbage collector has taken its response.
  const options = request.signal ? { signal: request.signal } : {};
  return new Response(response.body?.pipeThrough(atMost(sizeLimit), options), response);
}

function atMost(sizeLimit: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > sizeLimit) throw new Error(`the answer has more than ${sizeLimit} bytes`);
      controller.enqueue(chunk);
    },
  });
}
