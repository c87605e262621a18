import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generate } from 'selfsigned';
import { uuidv7 } from 'uuidv7';
import type { EventEndpoint } from '../../src/config/event-endpoint.js';
import { parseEnvironment } from '../../src/config/read-environment.js';
import { EventPost } from '../../src/events/event-post.js';
import { Unavailable } from '../../src/queues/unavailable.js';
import { BackEnd } from '../support/back-end.js';
import { until } from '../support/until.js';
import { newSecret } from '../support/webhooks.js';

const post = new EventPost(parseEnvironment({ SVC_ENVIRONMENT: 'dev', SVC_WEBHOOK_TIMEOUT_SECONDS: '1' }));
const payload = { type: 'webhook.test' as const, timestamp: new Date(), data: {} };
const [former, present] = [newSecret(), newSecret()];

let backEnd: BackEnd;
let endpoint: EventEndpoint;
beforeAll(async () => {
  backEnd = await BackEnd.start([present]);
  endpoint = { name: 'product', url: backEnd.url, secrets: [present], types: ['*'] };
});
afterAll(() => backEnd.close());

const send = (changes: Partial<EventEndpoint> = {}) =>
  post.send({ ...endpoint, ...changes }, uuidv7(), payload);
const failureOf = (changes?: Partial<EventEndpoint>) =>
  send(changes).then(
    () => null,
    (error: Error) => error,
  );

describe('an event on its way', () => {
  it('is a POST of JSON under the id of the event, which a receiver verifies by Standard Webhooks', async () => {
    const id = uuidv7();
    expect(await post.send(endpoint, id, payload)).toBe(204);

    const { headers, body, event } = backEnd.requests.at(-1) ?? {};
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
    });
    expect(Math.abs(Number(headers?.['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(30);
    expect(event).toEqual(JSON.parse(JSON.stringify(payload)));
    expect(body).toBe(JSON.stringify(payload));
  });

  it('is signed with both secrets while one takes the place of the other', async () => {
    const receivers = [await BackEnd.start([former]), await BackEnd.start([present])];
    for (const receiver of receivers) {
      await send({ url: receiver.url, secrets: [present, former] });
      expect(receiver.events).toHaveLength(1);
      await send({ url: receiver.url, secrets: [newSecret()] });
      expect(receiver.events).toHaveLength(1);
      await receiver.close();
    }
    expect(receivers[0]?.requests[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  });

  it.each([200, 201, 202, 204, 299])('is taken when the answer is %i', async (status) => {
    backEnd.answerWith((response) => response.writeHead(status).end());
    expect(await send()).toBe(status);
    backEnd.answerWith();
  });

  it.each([
    [500, false],
    [400, false],
    [429, true],
    [502, true],
    [503, true],
    [504, true],
    [401, true],
    [404, true],
  ])('is not taken when the answer is %i, and holds the others back: %p', async (status, isUnavailable) => {
    backEnd.answerWith((response) => response.writeHead(status).end('why: a secret of the back end'));
    const failure = await failureOf();
    backEnd.answerWith();

    expect(failure?.message).toBe(`the endpoint answered ${status}`);
    expect(failure instanceof Unavailable).toBe(isUnavailable);
  });

  it('is not taken when the endpoint switches to another protocol', async () => {
    backEnd.answerWith(({ socket }) => {
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
    });
    const failure = await failureOf();
    backEnd.answerWith();

    expect(failure?.message).toBe('the endpoint answered 101');
  });

  it('follows no redirect', async () => {
    const elsewhere = await BackEnd.start([present]);
    backEnd.answerWith((response) => response.writeHead(307, { location: elsewhere.url }).end());
    const failure = await failureOf();
    backEnd.answerWith();

    expect(failure?.message).toBe('the endpoint answered 307');
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it('is given up for the moment when no answer comes in time', async () => {
    backEnd.answerWith(() => {});
    const begun = performance.now();
    const failure = await failureOf();
    backEnd.answerWith();

    expect(failure).toBeInstanceOf(Unavailable);
    expect(failure?.message).toBe('the endpoint did not answer within 1 s');
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('is given up for the moment when the endpoint cannot be reached', async () => {
    expect((await failureOf({ url: 'http://127.0.0.1:1/events' }))?.message).toMatch(
      /^the endpoint did not answer at all: /,
    );
    expect(await failureOf({ url: 'http://no-such-host.invalid/' })).toBeInstanceOf(Unavailable);
    backEnd.answerWith((response) => response.destroy());
    expect(await failureOf()).toBeInstanceOf(Unavailable);
    backEnd.answerWith();
  });

  it('is sent to no endpoint whose certificate is not trusted', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    let asked = 0;
    const server = createServer({ key, cert }, () => asked++).listen(0);
    const { port } = server.address() as AddressInfo;

    expect((await failureOf({ url: `https://localhost:${port}/events` }))?.message).toBe(
      'the endpoint did not answer at all: DEPTH_ZERO_SELF_SIGNED_CERT',
    );
    expect(asked).toBe(0);
    server.close();
  });

  it('leaves nothing of a secret, a query or the answer in an error', async () => {
    backEnd.answerWith((response) => response.writeHead(500, { 'x-why': 'the answer' }).end('the answer'));
    const url = `${backEnd.url}?key=of-the-query`;
    const failures = [
      await failureOf({ url }),
      await failureOf({ url: 'http://127.0.0.1:1/?key=of-the-query' }),
    ];
    backEnd.answerWith();

    for (const failure of failures) {
      const told = `${failure?.message} ${failure?.stack} ${JSON.stringify(failure)}`;
      for (const secret of [present.slice(6), 'of-the-query', 'the answer'])
        expect(told).not.toContain(secret);
      expect(failure?.cause).toBeUndefined();
    }
  });

  it('does not wait for the body of an answer', async () => {
    backEnd.answerWith((response) => response.writeHead(200).write('a beginning'));
    expect(await send()).toBe(200);
    backEnd.answerWith();
  });

  it('goes over the connection of the one before, which ends where the answer had more to come', async () => {
    const answers = ['whole', 'whole', 'with more to come', 'whole'];
    const ports: (number | undefined)[] = [];
    let isClosed = false;
    backEnd.answerWith((response) => {
      ports.push(response.socket?.remotePort);
      if (answers[ports.length - 1] === 'whole') return response.writeHead(200).end('taken');
      response.socket?.once('close', () => {
        isClosed = true;
      });
      response.writeHead(200).write('a beginning');
    });
    for (const _ of answers) await send();
    await until(() => isClosed);
    backEnd.answerWith();

    const [first, second, third, fourth] = ports;
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toBe(first);
  });
});
