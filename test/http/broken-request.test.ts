import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../support/answers.js';
import { connectTo, answerTo as rawAnswerTo } from '../support/send.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await TestApp.start();
  port = await app.listen();
});
afterAll(() => app.close());

const answerTo = (bytes: string | Buffer) => rawAnswerTo(port, bytes);

describe('bytes that are no request', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['the beginning of TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00])],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['an unknown method', 'STEAL /users/me HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a proxy request', 'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a line folded', 'GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n'],
    ['a space before a colon', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['bytes beyond ASCII in the path', Buffer.from('GET /caf\xe9 HTTP/1.1\r\nHost: a\r\n\r\n', 'latin1')],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: a\r\nCookie: a\0b\r\n\r\n'],
    ['two lengths', 'POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'a length beside chunks',
      'POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('are answered as a bad request, and the connection closed: %s', async (_, bytes) => {
    const answer = await answerTo(bytes);

    expectProblem(answer, 400, 'BadRequest');
    expect(answer.headers).toMatchObject({ connection: 'close', date: expect.stringMatching(/ gmt$/) });
    expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.payload));
  });

  it('are answered as too large when the headers never end', async () => {
    const head = ['GET / HTTP/1.1', 'Host: a', 'Connection: close', `Cookie: ${'a'.repeat(20_000)}`];
    const answer = await answerTo([...head, '', ''].join('\r\n'));
    expectProblem(answer, 431, 'HeadersTooLarge');
  });

  it('leave a line with the id and the code of the answer, and what Node calls the fault', async () => {
    const answer = await answerTo('garbage\r\n\r\n');

    const last = app.log.filter((line) => line.includes('request.broken')).at(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({
      level: 'info',
      request_id: answer.headers['x-request-id'],
      code: 'BadRequest',
      reason: 'HPE_INVALID_METHOD',
    });
  });

  it('do not stop the service', async () => {
    await answerTo('garbage\r\n\r\n');
    const answer = await answerTo('GET /health/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect([answer.statusCode, answer.payload]).toEqual([200, '{"status":"ready"}']);
  });
});

describe('a request that was answered before its end', () => {
  it.each([
    ['200', 'GET /health/live HTTP/1.1\r\nHost: a'],
    ['401', 'GET /users/me HTTP/1.1\r\nHost: a'],
    ['404', 'OPTIONS /users/me HTTP/1.1\r\nHost: a'],
    ['417', 'GET /users/me HTTP/1.1\r\nHost: a\r\nExpect: miracles'],
  ])(
    'gets no second answer to %s when the rest of it is broken, and the connection closes',
    async (status, head) => {
      const socket = await connectTo(port);
      socket.write(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const [first] = await once(socket, 'data');
      socket.write('no chunk\r\n\r\n');

      expect((first + (await text(socket))).match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    },
  );
});

describe('a client that hangs up amid its body', () => {
  it('leaves no line that says the service was unavailable', async () => {
    const socket = await connectTo(port);
    const head =
      'POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 60';
    await new Promise((sent) => socket.write(`${head}\r\n\r\n{`, sent));
    socket.destroy();

    await until(() => app.log.some((line) => /request.ended.+"status":null/.test(line)));
    expect(app.log.filter((line) => line.includes('request.failed'))).toEqual([]);
  });
});

describe('a request on a connection', () => {
  it('is answered as too large before its body has come', async () => {
    const answer = await answerTo(
      `POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 65537\r\nConnection: close\r\n\r\n`,
    );
    expectProblem(answer, 413, 'PayloadTooLarge');
  });

  it('is answered as too large when chunks without a length in the head exceed the limit', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const answer = await answerTo(
      `POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk.repeat(5)}`,
    );
    expectProblem(answer, 413, 'PayloadTooLarge');
  });

  it('is answered as too large when a chunk has an extension that never ends', async () => {
    const answer = await answerTo(
      `POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}`,
    );
    expectProblem(answer, 413, 'PayloadTooLarge');
  });
});
