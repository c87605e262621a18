import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer as it came over the wire, in the form of Fastify's `inject`. */
export interface RawAnswer {
  statusCode: number;
  headers: Record<string, string>;
  payload: string;
}

/** A connection that says what it is told to, byte by byte. */
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
