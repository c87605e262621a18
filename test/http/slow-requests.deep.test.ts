import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { expectProblem } from '../support/answers.js';
import { connectTo, lastAnswerOn } from '../support/send.js';
import { TestApp } from '../support/test-app.js';

const LIVE = 'GET /health/live HTTP/1.1\r\nHost: a\r\n';
const LOGIN = 'POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await TestApp.start({ SVC_REQUEST_TIMEOUT_SECONDS: '1' });
  port = await app.listen();
});
afterAll(() => app.close());

describe('a request that does not arrive in time', () => {
  const LATE = [
    { how: 'nothing comes', head: '' },
    { how: 'the headers stop', head: LIVE },
    { how: 'the headers drip', head: `${LIVE}Cookie: `, drop: 'a' },
    { how: 'the body stops', head: `${LOGIN}Content-Length: 60000\r\n\r\n{` },
    { how: 'the body drips', head: `${LOGIN}Content-Length: 60000\r\n\r\n{`, drop: ' ' },
    { how: 'the chunks drip', head: `${LOGIN}Transfer-Encoding: chunked\r\n\r\n`, drop: '1\r\n \r\n' },
  ];

  it('is answered 408, and its connection closed, whatever part of it is late', async () => {
    const answers = LATE.map(async ({ how, head, drop }) => {
      const socket = await connectTo(port);
      socket.write(head);
      if (drop) drip(socket, drop);
      return { how, answer: await lastAnswerOn(socket) };
    });

    for (const { how, answer } of await Promise.all(answers)) {
      expectProblem(answer, 408, 'RequestTimeout');
      expect([how, answer.headers.connection]).toEqual([how, 'close']);
    }
  });

  it('does not close another connection that waits for its next request', async () => {
    const [idle, late] = [await connectTo(port), await connectTo(port)];
    idle.write(`${LIVE}\r\n`);
    const [answer] = await once(idle, 'data');
    await lastAnswerOn(late);

    idle.write(`${LIVE}Connection: close\r\n\r\n`);
    expect((await lastAnswerOn(idle)).statusCode).toBe(200);

    // Most proxies keep an idle connection for 60 seconds; the side that sends on it must be the one that closes it.
    expect(Number(/^keep-alive: timeout=(\d+)/im.exec(String(answer))?.[1])).toBeGreaterThan(60);
  });

  it('is refused within 30 seconds by default', () => {
    const { requestTimeoutSeconds } = parseEnvironment({ SVC_ENVIRONMENT: 'dev' });
    const { requestTimeout, headersTimeout, connectionsCheckingInterval } =
      app.nest.getHttpServer() as Server & { connectionsCheckingInterval: number };
    const atTheLatest = Math.max(requestTimeout, headersTimeout) + connectionsCheckingInterval;

    // The service under test has one second where by default there are so many.
    expect((atTheLatest / 1000) * requestTimeoutSeconds).toBeLessThan(30);
  });
});

describe('a client that was refused', () => {
  it.each([
    ['for garbage', 'garbage\r\n\r\n'],
    ['as the client of a proxy', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\nmore'],
  ])('loses its connection %s, also when it does not close its end', async (_, bytes) => {
    const accepted = once(app.nest.getHttpServer(), 'connection');
    const client = (await connectTo(port)).pause();
    client.write(bytes);

    const [connection] = await accepted;
    await once(connection, 'close');
    client.destroy();
  });
});

/** Sends some bytes now and then, for as long as the connection lasts. */
function drip(socket: Socket, bytes: string): void {
  const dripping = setInterval(() => socket.write(bytes), 50);
  const stop = () => clearInterval(dripping);
  socket.once('end', stop).once('close', stop);
}
