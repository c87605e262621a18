import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completedSignup } from '../support/accounts.js';
import { AiStandIn } from '../support/ai-stand-in.js';
import { TestApp } from '../support/test-app.js';

const PROXY = '10.0.0.7';
const STRANGER = '198.51.100.7';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const NEW_ID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-/;

let app: TestApp;
let ai: AiStandIn;
beforeAll(async () => {
  ai = await AiStandIn.start();
  app = await TestApp.start({ SVC_TRUSTED_PROXIES: `${PROXY},127.0.0.1`, ...ai.variables });
});
afterAll(async () => {
  await app.close();
  await ai.close();
});

/** What a request with some headers, sent by a peer, is called in its answer and in its line. */
async function sent(remoteAddress: string, headers: Record<string, string>, url = '/users/me') {
  const answer = await app.nest.inject({ url, remoteAddress, headers });
  const line = JSON.parse(app.log.filter((each) => each.includes('request.ended')).at(-1) ?? '');
  const id = answer.headers['x-request-id'];
  expect([line.request_id, answer.json().request_id]).toEqual([id, id]);
  return { id, traceId: line.trace_id };
}

describe('the X-Request-Id of a trusted proxy', () => {
  it.each(['12345678', '7c1f4e0a-b331-4244-ab8e-0fcc455f8898', 'Root=1-67891233:a.b/c+d_e', 'x'.repeat(128)])(
    'is the id of the request: %s',
    async (id) => {
      expect(await sent(PROXY, { 'x-request-id': id })).toEqual({ id });
    },
  );

  it.each(['1234567', 'x'.repeat(129), 'two words', '"quoted-id"', 'a,b,c,d,e', '12345678\u00e9', ''])(
    'is replaced when it is %j',
    async (id) => {
      expect(await sent(PROXY, { 'x-request-id': id })).toEqual({ id: expect.stringMatching(NEW_ID) });
    },
  );

  it('is the id of a request that the router cannot read, too', async () => {
    expect(await sent(PROXY, { 'x-request-id': 'from-the-proxy' }, '/%zz')).toEqual({ id: 'from-the-proxy' });
  });
});

describe('the traceparent of a trusted proxy', () => {
  it('names the trace in the line of the request', async () => {
    expect((await sent(PROXY, { traceparent: TRACEPARENT })).traceId).toBe(TRACE_ID);
  });

  it.each([
    TRACEPARENT.toUpperCase(),
    TRACEPARENT.replace('00-', '01-'),
    TRACEPARENT.replace(TRACE_ID, '0'.repeat(32)),
    TRACEPARENT.replace('00f067aa0ba902b7', '0'.repeat(16)),
    `${TRACEPARENT}-more`,
    `${TRACEPARENT}, ${TRACEPARENT}`,
    'nonsense',
  ])('is ignored when it is %s', async (traceparent) => {
    expect((await sent(PROXY, { traceparent })).traceId).toBeUndefined();
  });

  it('names the trace in the line of an error as well', async () => {
    await app.database.whileDown(() =>
      app.nest.inject({
        method: 'POST',
        url: '/auth/login',
        remoteAddress: PROXY,
        headers: { traceparent: TRACEPARENT },
        payload: { email: 'ada@example.com', password: 'a wrong password' },
      }),
    );
    const line = app.log.filter((each) => each.includes('request.failed')).at(-1);
    expect(JSON.parse(line ?? '')).toMatchObject({ trace_id: TRACE_ID, code: 'ServiceUnavailable' });
  });

  it('is sent on to nothing that the service calls, as the id is not', async () => {
    const browser = await completedSignup(app);
    const headers = { 'x-request-id': 'from-the-proxy', traceparent: TRACEPARENT };
    expect((await browser.post('/ai/activity-summary', undefined, headers)).status).toBe(200);

    expect(ai.received.length).toBeGreaterThan(0);
    expect(ai.received.join('')).not.toMatch(/from-the-proxy|traceparent|4bf92f35/);
  });
});

describe('a peer that is no trusted proxy', () => {
  it('chooses neither the id nor the trace of its requests', async () => {
    const headers = { 'x-request-id': 'chosen-by-the-client', traceparent: TRACEPARENT };
    expect(await sent(STRANGER, headers)).toEqual({ id: expect.stringMatching(NEW_ID) });
  });
});
