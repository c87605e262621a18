import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn, PASSWORD } from '../support/accounts.js';
import { AiStandIn, type Behaviour, begins, chunk, writes } from '../support/ai-stand-in.js';
import { expectProblem } from '../support/answers.js';
import type { Browser } from '../support/browser.js';
import { whileCollecting } from '../support/garbage.js';
import { TestApp } from '../support/test-app.js';

const ONE_MIB = 1024 * 1024;

let ai: AiStandIn;
let app: TestApp;
let browser: Browser & { email: string };
beforeAll(async () => {
  ai = await AiStandIn.start();
  app = await TestApp.start({ ...ai.variables, SVC_AI_TIMEOUT_SECONDS: '2' });
  browser = await loggedIn(app);
  // The first request waits for the client to be loaded as well.
  await ask();
});
afterAll(async () => {
  await app.close();
  await ai.close();
});

const ask = () =>
  app.nest.inject({
    method: 'POST',
    url: '/ai/activity-summary',
    headers: { cookie: `session_id=${browser.jar.get('session_id')}` },
  });

const answers =
  (status: number, body: string, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

/** Repeats something until the client hangs up. */
const forever =
  (piece: string): Behaviour =>
  (response) => {
    begins()(response);
    repeat(piece, response, response);
  };

/** Compressed, so that there is more to wait for than the connection. */
const foreverCompressed: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
  const body = createGzip({ flush: 2 });
  body.pipe(response);
  repeat(': wait\n\n', body, response);
};

function repeat(piece: string, stream: NodeJS.WritableStream, response: ServerResponse): void {
  const timer = setInterval(() => stream.write(piece), 20);
  response.on('close', () => clearInterval(timer));
}

const ERROR = JSON.stringify({ error: { message: `Wrong: ${AiStandIn.key}`, type: 'x', code: 'wrong' } });

const TROUBLES: Record<string, Behaviour> = {
  'hangs up': (response) => response.destroy(),
  'refuses the key': answers(401, ERROR),
  'has no more credit': answers(429, ERROR, { 'retry-after': '3600' }),
  'does not know the model': answers(404, ERROR),
  'is broken': answers(500, ERROR),
  'is overloaded': answers(503, '<h1>Busy</h1>', { 'content-type': 'text/html' }),
  'sends elsewhere': answers(307, '', { location: 'http://127.0.0.1:1/v1/chat/completions' }),
  'answers a page': answers(200, '<h1>Welcome</h1>', { 'content-type': 'text/html' }),
  'answers nothing': answers(204, ''),
  'answers other JSON': answers(200, '{"choices":[{"message":{"content":"Well."}}]}'),
  'streams no JSON': answers(200, 'data: well\n\n', { 'content-type': 'text/event-stream' }),
  'streams other JSON': answers(200, 'data: null\n\ndata: {"choices":7}\n\n', {
    'content-type': 'text/event-stream',
  }),
  'streams an error': answers(200, `data: ${ERROR}\n\n`, { 'content-type': 'text/event-stream' }),
  'writes nothing': writes(),
  'breaks off': (response) => {
    begins('You ')(response);
    response.end();
  },
  'floods without an end': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('a'.repeat(4 * ONE_MIB));
  },
  'never answers': () => {},
  'keeps the connection alive': forever(': wait\n\n'),
  'thinks without an end': forever(chunk({ content: '' })),
  'trickles compressed': foreverCompressed,
};

describe.each(Object.entries(TROUBLES))('a provider that %s', (_, behaviour) => {
  it('makes the service answer AiProviderError after one attempt, without a word of the provider', async () => {
    ai.behaviour = behaviour;
    ai.requests.length = 0;
    const startedAt = performance.now();

    const body = expectProblem(await ask(), 502, 'AiProviderError');

    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(ai.requests).toHaveLength(1);
    expect(body.detail).toBe('The summary could not be written. Try again in a moment.');
    expect(app.log.join()).not.toContain(AiStandIn.key);
  });
});

describe('the log', () => {
  it('gives the reason why the provider failed, without its words', async () => {
    const reasonFor = async (behaviour: Behaviour) => {
      ai.behaviour = behaviour;
      await ask();
      const lines = app.log.map((line) => JSON.parse(line)).filter(({ event }) => event === 'ai.failed');
      return lines.at(-1)?.reason;
    };

    expect(await reasonFor(answers(401, ERROR))).toBe('401');
    expect(await reasonFor(() => {})).toBe('too slow');
    expect(await reasonFor(writes())).toBe('Incomplete');
    expect(await reasonFor((response) => response.destroy())).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/);
  });
});

describe('a provider that never stops writing, while garbage is collected', () => {
  it('is hung up on within the time limit all the same', async () => {
    ai.behaviour = forever(chunk({ content: '' }));

    const startedAt = performance.now();
    expectProblem(await whileCollecting(ask), 502, 'AiProviderError');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe('an answer that is too long', () => {
  it('is cut, and the service waits for no more of it', async () => {
    ai.behaviour = forever(chunk({ content: 'a'.repeat(1_500) }));

    const { statusCode, payload } = await ask();
    expect(statusCode).toBe(200);
    expect(JSON.parse(payload).summary).toBe('a'.repeat(8_000));
    await ai.abandoned.opened;
  });
});

describe('while the provider does not answer', () => {
  it('every user can log in, and the service is ready', async () => {
    ai.behaviour = () => {};
    const asked = ask();

    const login = await app.browser().post('/auth/login', { email: browser.email, password: PASSWORD });
    expect(login.status).toBe(200);
    expect(await app.browser().get('/health/ready')).toMatchObject({ status: 200 });
    expect((await asked).statusCode).toBe(502);
  });
});
