import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loggedIn } from '../support/accounts.js';
import { expectProblem } from '../support/answers.js';
import type { Browser } from '../support/browser.js';
import { answerTo, connectTo } from '../support/send.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let browser: Browser;
let port: number;
beforeAll(async () => {
  app = await TestApp.start();
  browser = await loggedIn(app);
  port = await app.listen();
});
afterAll(() => app.close());

/** Sends the head of a request of a user who is logged in, and perhaps a body. */
function send(line: string, headers: string[] = ['Host: a'], body = '') {
  const cookie = `Cookie: session_id=${browser.jar.get('session_id')}`;
  return answerTo(port, [line, ...headers, cookie, 'Connection: close', '', body].join('\r\n'));
}

describe('a well-formed request', () => {
  it.each([
    ['GET /users/me HTTP/1.1', ['Host: a']],
    ['GET /users/me HTTP/1.0', ['Host: a']],
    ['GET /users/me HTTP/1.0', []],
    ['GET /users/me HTTP/1.1', ['Host: a', 'Upgrade: websocket']],
    ['GET /users/me HTTP/1.1', ['Host: a', 'Content-Encoding: gzip']],
    ['GET /users/me HTTP/1.1', ['Host: a', ...Array(3_000).fill('a:')]],
    ['GET /users/m%65 HTTP/1.1', ['Host: a']],
    [`GET /users/me? HTTP/1.1`, ['Host: a']],
  ])('is served: %s', async (line, headers) => {
    expect((await send(line, headers)).statusCode).toBe(200);
  });

  it('is served after the 100 it asked for', async () => {
    const body = '{"name":"Ada"}';
    const answer = await send(
      'PATCH /users/me HTTP/1.1',
      ['Host: a', 'Expect: 100-continue', 'Content-Type: application/json', `Content-Length: ${body.length}`],
      body,
    );
    expect(answer.statusCode).toBe(100);
    expect((await browser.get('/users/me')).body.user.name).toBe('Ada');
  });
});

describe('a target', () => {
  it.each([
    'http://a/users/me',
    'http://evil.example/users/me',
    'HTTPS://a/users/me',
    'http://a?/users/me',
    'ftp://a/users/me',
    '*',
    '*users/me',
    '/users/me#top',
    '/users/me?#top',
    '/users/me?name=%ff',
    '/users/me?name=%c0%af',
    '/users/me?name=%',
  ])('is refused as malformed: %s', async (target) => {
    expectProblem(await send(`GET ${target} HTTP/1.1`), 400, 'BadRequest');
  });

  it.each([
    '//users/me',
    '/users//me',
    '/users/me/',
    '/users/me//',
    '/users%2Fme',
    '/users%2fme',
    '/users%5Cme',
    '/users\\me',
    '/users/./me',
    '/users/%2e/me',
    '/sessions/../users/me',
    '/sessions/%2e%2e/users/me',
    '/USERS/ME',
  ])('is not read as another target: %s', async (target) => {
    expectProblem(await send(`GET ${target} HTTP/1.1`), 404, 'NotFound');
  });

  it.each(['/users/%6De%2F', '/users/%256De', '/users/me;v=1', '/users/me%00', '/users/me%3F'])(
    'is the id of another user, whom the caller may not see: %s',
    async (target) => {
      expectProblem(await send(`GET ${target} HTTP/1.1`), 403, 'InsufficientRole');
    },
  );

  it('is refused from 8,193 characters on', async () => {
    const target = (length: number) => `/nowhere?${'a'.repeat(length - '/nowhere?'.length)}`;

    expectProblem(await send(`GET ${target(8_192)} HTTP/1.1`), 404, 'NotFound');
    expectProblem(await send(`GET ${target(8_193)} HTTP/1.1`), 414, 'UriTooLong');
  });
});

describe('a head that can be read in two ways', () => {
  it.each([
    ['no host', 'GET /users/me HTTP/1.1', []],
    ['two hosts', 'GET /users/me HTTP/1.1', ['Host: a', 'host: b']],
    ['two hosts in HTTP/1.0', 'GET /users/me HTTP/1.0', ['Host: a', 'Host: b']],
    ['the same host twice', 'GET /users/me HTTP/1.1', ['Host: a', 'Host: a']],
    ['two hosts of a preflight', 'OPTIONS /users/me HTTP/1.1', ['Host: a', 'Host: b']],
    ['a version before headers', 'GET /users/me', []],
    ['a version of another protocol', 'GET /users/me HTTP/2.0', ['Host: a']],
    ['chunks before HTTP/1.1', 'GET /users/me HTTP/1.0', ['Host: a', 'Transfer-Encoding: chunked']],
    ['a coding around the chunks', 'GET /users/me HTTP/1.1', ['Host: a', 'Transfer-Encoding: gzip, chunked']],
  ])('is refused as malformed: %s', async (_, line, headers) => {
    expectProblem(await send(line, headers, '0\r\n\r\n'), 400, 'BadRequest');
  });

  it.each([
    ...[
      'xchunked',
      'identity',
      'gzip',
      'gzip, chunked',
      'chunked;q=1',
      '"chunked"',
      'chunked, chunked',
      'chunked\r\nTransfer-Encoding: chunked',
      'chunked\r\nContent-Length: 5',
      'foo\r\nContent-Length: 5',
    ].map((coding) => [coding, '1.1']),
    ['chunked', '1.0'],
  ])(
    'is refused once, and the connection closes, when the coding of its body is %s in HTTP/%s',
    async (coding, version) => {
      const headers = `Host: a\r\nConnection: keep-alive\r\nTransfer-Encoding: ${coding}`;
      const login = `POST /auth/login HTTP/${version}\r\n${headers}\r\n\r\n`;
      const preflight = `OPTIONS /auth/login HTTP/${version}\r\n${headers}\r\n\r\n`;
      const next = '0\r\n\r\nGET /users/me HTTP/1.1\r\nHost: a\r\n\r\n';

      for (const bytes of [login, login + next, preflight, preflight + next]) {
        const socket = await connectTo(port);
        socket.write(bytes);
        const answers = await text(socket);
        expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
        expect(answers).toMatch(/^connection: close/im);
      }
    },
  );

  it('is refused when it expects what the service does not know', async () => {
    const answer = await send('GET /users/me HTTP/1.1', ['Host: a', 'Expect: miracles']);
    expectProblem(answer, 417, 'ExpectationFailed');
  });

  it('is refused when its body is compressed', async () => {
    const headers = [
      'Host: a',
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      'Content-Length: 2',
    ];
    expectProblem(await send('PATCH /users/me HTTP/1.1', headers, '{}'), 415, 'UnsupportedMediaType');
  });
});

describe('the method of a request', () => {
  const OVERRIDES = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];

  it.each(OVERRIDES)('is not overridden by %s', async (header) => {
    const count = 'SELECT count(*)::int FROM sessions WHERE invalidated_at IS NULL';
    await loggedIn(app, (await browser.get('/users/me')).body.user.email);
    const before = await app.database.value(count);

    expect((await browser.get('/sessions?_method=DELETE', { [header]: 'DELETE' })).status).toBe(400);
    expect((await browser.get('/sessions', { [header]: 'DELETE' })).body.data.length).toBeGreaterThan(1);
    expect((await browser.post('/sessions', undefined, { [header]: 'DELETE' })).status).toBe(404);
    expect(await app.database.value(count)).toBe(before);
  });

  it.each(['TRACE', 'PUT', 'PROPFIND', 'PURGE'])(
    'that no route has is answered as an unknown path: %s',
    async (method) => {
      expectProblem(await send(`${method} /users/me HTTP/1.1`), 404, 'NotFound');
    },
  );

  it('is guarded for HEAD as for GET, on every route', async () => {
    const paths = app.routes.filter((route) => route.startsWith('GET ')).map((route) => route.slice(4));
    for (const path of paths) {
      const url = path.replace(/:\w+/g, '01a1fab1-b331-7244-ab8e-0fcc455f8898');
      const [got, head] = [await app.browser().get(url), await app.browser().send('HEAD', url)];

      expect({ url, status: head.status }).toEqual({ url, status: got.status });
      // A length that compression may change is left out (RFC 9110 §9.3.2).
      if (head.headers['content-length'] === undefined) delete got.headers['content-length'];
      expect(Object.keys(head.headers)).toEqual(Object.keys(got.headers));
      expect(head.headers['content-length']).toBe(got.headers['content-length']);
    }
    expect(paths.length).toBeGreaterThan(10);
  });

  it('gets an answer without a body when it is HEAD, whatever the status', async () => {
    for (const path of ['/users/me', '/users', '/auth/oauth/idp/callback', '/nowhere', '/%'])
      expect((await send(`HEAD ${path} HTTP/1.1`)).payload).toBe('');
  });
});
