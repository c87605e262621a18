import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a request has besides its address; a body is sent as JSON. */
export interface Sent {
  cookie?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request over a real connection. */
export function send(
  method: string,
  url: string,
  { cookie, body, headers = {} }: Sent = {},
): Promise<Response> {
  return fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The cookies that an answer sets, as a browser sends them back. */
export function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** The status of the answer to a request, whose body is read to its end. */
export async function statusOf(method: string, url: string, sent?: Sent): Promise<number> {
  const answer = await send(method, url, sent);
  await answer.arrayBuffer();
  return answer.status;
}

/** An answer as it came over the wire, in the form of Fastify's `inject`. */
export interface RawAnswer {
  statusCode: number;
  headers: Record<string, string>;
  payload: string;
}

/** A connection on which a test writes byte by byte. */
export async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** What comes back on a connection, until the service closes it. */
export async function lastAnswerOn(socket: Socket): Promise<RawAnswer> {
  const [head = '', payload = ''] = (await text(socket)).split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ')));
  return { statusCode: Number(status.split(' ')[1]), headers, payload };
}

/** What comes back for some bytes on a connection of their own. */
export async function answerTo(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = await connectTo(port);
  socket.write(bytes);
  return lastAnswerOn(socket);
}
