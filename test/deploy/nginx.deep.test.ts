import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../tools/embedded-postgres/free-port.js';
import { runProgram } from '../support/command-line.js';
import { CERTIFICATE, ForwardingProxy, nginxForReplicas } from '../support/proxies.js';
import { send } from '../support/send.js';
import { DEPLOYED } from '../support/service-process.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { describeWhere } from '../support/where.js';

const { version } = nginxForReplicas();

/** What a deployment has on a free port of this machine. */
const SOUND = {
  ...DEPLOYED,
  SVC_BASE_WEB_URL: 'https://localhost:5173',
  SVC_SESSION_COOKIE_NAME: '__Host-session',
  SVC_CRON_SECRET: 'Gh4jK1lQwErT7yUiOpAsD3fVbNmZxC6z',
};

/** Each with what the doctor says of it. */
const PLANTED: [string, (documented: string) => string, string[]][] = [
  ['as documented', (same) => same, []],
  [
    'that adds to X-Forwarded-For, on the machine of the doctor',
    (conf) => conf.replace('X-Forwarded-For $remote_addr', 'X-Forwarded-For $proxy_add_x_forwarded_for'),
    [],
  ],
  [
    'that passes on what a client writes',
    (conf) => conf.replace('X-Forwarded-For $remote_addr', 'X-Forwarded-For $http_x_forwarded_for'),
    ['FORWARDED_FOR_MISSING', 'FORWARDED_FOR_BELIEVED'],
  ],
  [
    'that names no address',
    (conf) => conf.replace('X-Forwarded-For $remote_addr', 'X-Forwarded-For unknown'),
    ['FORWARDED_FOR_UNREADABLE'],
  ],
  [
    'that writes a port behind the address',
    (conf) => conf.replace('X-Forwarded-For $remote_addr', 'X-Forwarded-For $remote_addr:$remote_port'),
    [],
  ],
  [
    'that caches',
    (conf) =>
      `proxy_cache_path cache keys_zone=kept:1m; ${conf.replace(
        'proxy_pass http://latchkey;',
        'proxy_pass http://latchkey; proxy_cache kept; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control;',
      )}`,
    ['ANSWERS_CACHED'],
  ],
  [
    'that moves cookies to a path',
    (conf) =>
      conf.replace('proxy_pass http://latchkey;', 'proxy_pass http://latchkey; proxy_cookie_path / /api;'),
    ['COOKIE_ATTRIBUTES'],
  ],
  [
    'that gives cookies to a domain',
    (conf) =>
      conf.replace(
        'proxy_pass http://latchkey;',
        'proxy_pass http://latchkey; proxy_cookie_flags ~ samesite=strict; proxy_cookie_path ~^/$ "/; Domain=localhost";',
      ),
    ['COOKIE_ATTRIBUTES'],
  ],
  [
    'that takes small bodies only',
    (conf) => conf.replace('listen ', 'client_max_body_size 32k; listen '),
    ['BODY_LIMIT_LOW'],
  ],
  [
    'that sends every other request to a dead replica',
    (conf) =>
      conf
        .replace('max_fails=0;', 'max_fails=0; server 127.0.0.1:1 max_fails=0;')
        .replace('proxy_next_upstream error timeout;', 'proxy_next_upstream off;'),
    ['REPLICA_FAILS'],
  ],
];

describeWhere(version !== null)('the nginx in front of replicas', () => {
  let app: TestApp;
  let unnamed: TestApp;
  let [named, other] = [0, 0];
  beforeAll(async () => {
    app = await TestApp.start({ ...SOUND, SVC_TRUSTED_PROXIES: '127.0.0.1' });
    unnamed = await TestApp.start(SOUND, { database: app.database });
    [named, other] = [await app.listen(), await unnamed.listen()];
  });
  afterAll(async () => {
    await unnamed.nest.close();
    await app.close();
  });

  /** The codes that the doctor finds, asked through a changed nginx. */
  async function codesThrough(change: (documented: string) => string, port = named): Promise<string[]> {
    const proxy = await ForwardingProxy.start(nginxForReplicas(change), { service: [port], backEnd: 0 });
    const address = `https://localhost:${proxy.port}`;
    const { lines } = await runProgram('cli', ['doctor', address, '--json'], {
      ...SOUND,
      SVC_BASE_API_URL: address,
      SVC_DATABASE_URL: app.database.url,
      SVC_TRUSTED_PROXIES: port === named ? '127.0.0.1' : '',
      NODE_EXTRA_CA_CERTS: join(proxy.folder, CERTIFICATE),
    });
    await proxy.stop();
    return JSON.parse(lines.join())
      .map(({ code }: { code: string }) => code)
      .filter((code: string) => code !== 'NODE_END_OF_LIFE');
  }

  it.each(PLANTED)('is judged rightly by the doctor: one %s', async (_, change, codes) => {
    const found = await codesThrough(change);
    // What a dead replica does not answer may look like another fault besides.
    expect(codes.includes('REPLICA_FAILS') ? found.filter((code) => codes.includes(code)) : found).toEqual(
      codes,
    );
  });

  it('is found by the doctor where SVC_TRUSTED_PROXIES does not name it', async () => {
    expect(await codesThrough((same) => same, other)).toEqual(['PROXY_UNNAMED']);
  });

  describe('and answers by itself', () => {
    let proxy: ForwardingProxy;
    let url: string;
    beforeAll(async () => {
      const limited = (conf: string) =>
        `limit_req_zone $binary_remote_addr zone=few:1m rate=1r/m; limit_req_status 429; ${conf.replace(
          'location / {',
          'location = /auth/methods { limit_req zone=few; proxy_pass http://latchkey; } location = /gone { proxy_pass http://127.0.0.1:1; } location / {',
        )}`;
      const program = nginxForReplicas(limited, { hasTls: false });
      proxy = await ForwardingProxy.start(program, { service: [named], backEnd: 0 });
      url = `http://127.0.0.1:${proxy.port}`;
    });
    afterAll(() => proxy.stop());

    /** The problem of an answer, whose request id nginx also gave the service and its log. */
    async function problemOf(answer: Promise<Response>) {
      const { status, headers, text } = await answer.then(async (each) => ({
        status: each.status,
        headers: each.headers,
        text: await each.text(),
      }));
      const body = JSON.parse(text);
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body.request_id).toMatch(/^[0-9a-f]{32}$/);
      expect(status).toBe(body.status);
      return { status, code: body.code, retryAfter: headers.get('retry-after') };
    }

    it('with the problems that the service would answer with', async () => {
      const large = { body: { token: 'a'.repeat(2_000_000) } };

      expect(await problemOf(send('POST', `${url}/invitations/preview`, large))).toMatchObject({
        status: 413,
        code: 'PayloadTooLarge',
      });
      await send('GET', `${url}/auth/methods`);
      expect(await problemOf(send('GET', `${url}/auth/methods`))).toEqual({
        status: 429,
        code: 'TooManyRequests',
        retryAfter: '60',
      });
      expect(await problemOf(send('GET', `${url}/gone`))).toEqual({
        status: 503,
        code: 'ServiceUnavailable',
        retryAfter: '5',
      });
      const problem = (await (await send('GET', `${url}/users/me`)).json()) as object;
      expect(problem).toMatchObject({ code: 'Unauthenticated' });
    });

    it('for /metrics and /cron, which are for the inside', async () => {
      for (const path of ['/metrics', '/METRICS', '/%6Detrics', '//metrics', '/cron', '/cron/'])
        expect((await send('GET', url + path)).headers.get('server')).toMatch(/^nginx/);
    });

    it('and keeps no token of a mailed link in its logs', async () => {
      await send('GET', `${url}/ui/reset-password?token=of-the-link`);
      await send('GET', `${url}/gone?token=of-the-link`);

      const log = () => readFile(join(proxy.folder, 'api.access.log'), 'utf8');
      await until(async () => (await log()).includes('"GET /gone HTTP/1.1" 503'));
      expect(await log()).toContain('"GET /ui/reset-password HTTP/1.1" 200');
      expect(await log()).not.toContain('of-the-link');
      expect(await readFile(join(proxy.folder, 'error.log'), 'utf8')).not.toContain('of-the-link');
    });
  });

  it('sends what a stopped replica does not take to the other one, and comes back to the first at once', async () => {
    const ports = [await findFreePort('127.0.0.1'), await findFreePort('127.0.0.1')];
    const [first, second] = await Promise.all(ports.map(replicaAt));
    const program = nginxForReplicas((same) => same, { hasTls: false });
    const proxy = await ForwardingProxy.start(program, { service: ports, backEnd: 0 });
    const statuses = async () => {
      const asked = ['GET', 'POST', 'PATCH', 'DELETE', 'GET', 'POST'].map((method) =>
        send(method, `http://127.0.0.1:${proxy.port}/users/me`).then(({ status }) => status),
      );
      return [...new Set(await Promise.all(asked))];
    };

    expect(await statuses()).toEqual([200]);
    await stopped(first);
    expect(await statuses()).toEqual([200]);
    const again = await replicaAt(Number(ports[0]));
    await stopped(second);
    expect(await statuses()).toEqual([200]);
    await stopped(again);
    expect(await statuses()).toEqual([503]);
    await proxy.stop();
  });

  it('sends what a replica has taken to no other one, unless it may be repeated', async () => {
    const taken: (string | undefined)[] = [];
    const port = await findFreePort('127.0.0.1');
    const breaking = createServer(({ method, socket }) => {
      taken.push(method);
      socket.destroy();
    }).listen(port, '127.0.0.1');
    await once(breaking, 'listening');
    const program = nginxForReplicas((same) => same, { hasTls: false });
    const proxy = await ForwardingProxy.start(program, { service: [port, port], backEnd: 0 });

    for (const method of ['GET', 'POST', 'PATCH'])
      expect((await send(method, `http://127.0.0.1:${proxy.port}/users/me`)).status).toBe(503);

    expect(taken).toEqual(['GET', 'GET', 'POST', 'PATCH']);
    await proxy.stop();
    await stopped(breaking);
  });
});

/** What answers at a port as a replica does, and can be stopped and started more often than one in a test. */
async function replicaAt(port: number): Promise<Server> {
  const replica = createServer((_, response) => response.end()).listen(port, '127.0.0.1');
  await once(replica, 'listening');
  return replica;
}

async function stopped(replica: Server | undefined): Promise<void> {
  replica?.close();
  replica?.closeAllConnections();
  await once(replica as Server, 'close');
}
