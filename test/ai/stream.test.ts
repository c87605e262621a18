import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { completedSignup } from '../support/accounts.js';
import { AiStandIn, begins, finish, writes } from '../support/ai-stand-in.js';
import type { Browser } from '../support/browser.js';
import { connectTo } from '../support/send.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const PATH = '/ai/activity-summary';
const STREAMED = { accept: 'text/event-stream' };

let ai: AiStandIn;
let app: TestApp;
let port: number;
let browser: Browser;
let answering: ServerResponse;
beforeAll(async () => {
  ai = await AiStandIn.start();
  app = await TestApp.start(ai.variables);
  port = await app.listen();
});
afterAll(async () => {
  await app.close();
  await ai.close();
});
beforeEach(async () => {
  browser = await completedSignup(app);
  ai.requests.length = 0;
});

/** Asks over a connection of its own. */
function ask(headers: Record<string, string> = STREAMED): ClientRequest {
  const cookie = `session_id=${browser.jar.get('session_id')}`;
  return request({ port, path: PATH, method: 'POST', agent: false, headers: { cookie, ...headers } }).end();
}

/** An answer whose head has arrived. */
async function answerTo(asked: ClientRequest): Promise<IncomingMessage> {
  const [answer] = await once(asked, 'response');
  return answer;
}

/** The events of a stream. */
function eventsIn(stream: string) {
  return stream
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      return { name, data: JSON.parse(data) };
    });
}

const writingOn = () => {
  ai.behaviour = (response) => {
    begins('You ')(response);
    answering = response;
  };
};

describe('a summary as a stream', () => {
  it('arrives piece by piece, and ends with the number of events and their time', async () => {
    ai.behaviour = writes('You logged in.\n', 'Nothing looks "unusual".');
    const { status, headers, text: stream } = await browser.post(PATH, undefined, STREAMED);

    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/event-stream' });
    expect(headers['cache-control']).toBe('no-store');
    expect(eventsIn(stream)).toEqual([
      { name: 'delta', data: { text: 'You logged in.\n' } },
      { name: 'delta', data: { text: 'Nothing looks "unusual".' } },
      { name: 'done', data: { events_considered: 3, since: expect.stringMatching(/Z$/) } },
    ]);
  });

  it('begins before the model has finished', async () => {
    writingOn();
    const answer = await answerTo(ask());

    const [beginning] = await once(answer.setEncoding('utf8'), 'data');
    expect(eventsIn(beginning)).toEqual([{ name: 'delta', data: { text: 'You ' } }]);
    finish(answering);
    expect(eventsIn(await text(answer))).toMatchObject([{ name: 'done' }]);
  });

  it('ends with a problem when the model stops in the middle', async () => {
    writingOn();
    const answer = await answerTo(ask());
    answering.destroy();

    expect(answer.statusCode).toBe(200);
    expect(eventsIn(await text(answer))).toEqual([
      { name: 'delta', data: { text: 'You ' } },
      {
        name: 'error',
        data: expect.objectContaining({
          status: 502,
          code: 'AiProviderError',
          request_id: answer.headers['x-request-id'],
        }),
      },
    ]);
  });

  it('is answered with a problem as any request is, when the model fails before it begins', async () => {
    ai.behaviour = (response) => response.destroy();

    expect(await browser.post(PATH, undefined, STREAMED)).toMatchObject({
      status: 502,
      headers: { 'content-type': 'application/problem+json; charset=utf-8' },
      body: { code: 'AiProviderError' },
    });
  });
});

describe.each([
  ['a stream', STREAMED],
  ['a whole summary', { accept: 'application/json' }],
])('a client that hangs up on %s', (_, headers) => {
  it('makes the service end its request to the provider, and may ask again', async () => {
    writingOn();
    app.log.length = 0;
    const asked = ask(headers).on('error', () => {});
    await until(() => ai.requests.length === 1);
    const abandoned = once(answering, 'close');
    asked.destroy();

    await abandoned;
    ai.behaviour = writes('You logged in.');
    await until(async () => (await browser.post(PATH)).status === 200);
    expect(app.log.join()).not.toContain('AiProviderError');
  });
});

describe('a stream on a connection whose client sends on', () => {
  const headOf = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\nHost: a\r\nCookie: session_id=${browser.jar.get('session_id')}\r\n`;

  it('has no other answer in its middle when what follows the next request is broken', async () => {
    writingOn();
    const socket = await connectTo(port);
    socket.write(`${headOf('POST', PATH)}Accept: text/event-stream\r\nContent-Length: 0\r\n\r\n`);
    const [begun] = await once(socket, 'data');
    socket.write(`${headOf('GET', '/users/me')}\r\ngarbage\r\n\r\n`);

    expect((begun + (await text(socket))).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});
