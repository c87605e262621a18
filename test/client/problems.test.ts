import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLatchkey, isProblem, LatchkeyProblem } from '../../src/client/latchkey.js';
import { freshAddress, loggedIn, PASSWORD, verified } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { CookieJar } from './cookie-jar.js';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await TestApp.start();
  url = `http://127.0.0.1:${await app.listen()}`;
});
afterAll(() => app.close());

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** What stands between a browser and the service, and answers by itself. */
async function proxy(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const visitor = (options = {}) => new CookieJar().tab(url, options);

describe('what an operation throws', () => {
  it('is a problem with the code, the sentence and the id of the request', async () => {
    const problem = await visitor()
      .login({ email: freshAddress(), password: PASSWORD })
      .catch((error) => error);

    expect(problem).toBeInstanceOf(LatchkeyProblem);
    expect(problem).toBeInstanceOf(Error);
    expect(problem).toMatchObject({
      code: 'InvalidCredentials',
      status: 401,
      title: 'Invalid credentials',
      message: 'The email address or the password is not correct.',
      errors: [],
      methods: [],
      request_id: expect.stringMatching(/^[\da-f-]{36}$/),
      retry_after_seconds: null,
    });
  });

  it('names the fields that are not valid', async () => {
    const error = await visitor()
      .signup({ email: 'ada', password: 'short' })
      .catch((thrown) => thrown);

    if (!isProblem(error, 'ValidationFailed', 'WeakPassword')) throw error;
    expect(error.errors).toEqual([
      { field: 'email', messages: ['must be an email address'], reasons: [{ code: 'not_an_address' }] },
    ]);
  });

  it('says when to come back', async () => {
    const limited = await TestApp.start(
      { SVC_RATE_LIMITS: 'on', SVC_LIMIT_LOGIN_PER_ACCOUNT: '1/15m' },
      { database: app.database },
    );
    const latchkey = new CookieJar().tab(`http://127.0.0.1:${await limited.listen()}`);
    const email = await verified(limited);
    const wrong = () => latchkey.login({ email, password: 'not that one' }).catch((error) => error);
    await wrong();

    expect(await wrong()).toMatchObject({ status: 429, retry_after_seconds: expect.any(Number) });
    await limited.nest.close();
  });

  it('is no problem of another code', async () => {
    const error = await visitor()
      .me()
      .catch((thrown) => thrown);

    expect(isProblem(error)).toBe(true);
    expect(isProblem(error, 'Unauthenticated', 'NotFound')).toBe(true);
    expect(isProblem(error, 'NotFound')).toBe(false);
    expect(isProblem(new Error('Unauthenticated'))).toBe(false);
  });

  it.each<[string, RequestListener, number]>([
    [
      'the page of a proxy that failed',
      (_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'),
      502,
    ],
    ['the page of a hotspot', (_, response) => response.end('<h1>Log in to the hotspot</h1>'), 200],
    [
      'JSON that is no problem',
      (_, response) => response.writeHead(500, { 'content-type': 'application/json' }).end('{}'),
      500,
    ],
    ['a connection that breaks', (request) => request.socket.destroy(), 0],
    ['a body that breaks off', (_, response) => response.write('{"user":', () => response.destroy()), 200],
  ])('is Unreachable after %s', async (_, answer, status) => {
    const error = await createLatchkey(await proxy(answer))
      .me()
      .catch((thrown) => thrown);

    expect(error).toMatchObject({
      code: 'Unreachable',
      status,
      message: 'The service cannot be reached. Please try again.',
    });
    expect(error.cause).toBeDefined();
  });

  it('is Unreachable once the time is over', async () => {
    const latchkey = createLatchkey(await proxy(() => {}), { timeoutMs: 50 });

    await expect(latchkey.methods()).rejects.toMatchObject({
      code: 'Unreachable',
      cause: { name: 'TimeoutError' },
    });
  });

  it('is the reason of the caller, who ended the call', async () => {
    const silent = createLatchkey(await proxy(() => {}));
    const leaving = new AbortController();
    const call = silent.methods({}, { signal: leaving.signal });
    leaving.abort();

    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await expect(visitor().methods({}, { signal: AbortSignal.abort('gone') })).rejects.toBe('gone');
  });
});

describe('an input', () => {
  it('drops what is undefined, and keeps null', async () => {
    const page = new CookieJar(await loggedIn(app)).tab(url);

    expect((await page.updateMe({ name: 'Ada' })).user.name).toBe('Ada');
    expect((await page.updateMe({ name: undefined })).user.name).toBe('Ada');
    expect((await page.updateMe({ name: null })).user.name).toBeNull();
  });

  it.each(['', '.', '..'])('with the id “%s” is refused, as it would make another path', async (id) => {
    const browser = await loggedIn(app);
    const page = new CookieJar(browser).tab(url);

    await expect(page.endSession({ id })).rejects.toThrow(new TypeError('id is missing'));
  });

  it('reaches its operation whatever an id holds', async () => {
    const page = new CookieJar(await loggedIn(app)).tab(url);

    await expect(page.endSession({ id: '../users/me?#' })).rejects.toMatchObject({
      code: 'ValidationFailed',
    });
  });
});

describe('the language of a page', () => {
  it('goes along with each request, also of one that has a body, and with none where there is none', async () => {
    const heard: [string | undefined, string | undefined][] = [];
    const address = await proxy(({ headers }, response) => {
      heard.push([headers['accept-language'], headers['content-type']]);
      response.end('{}');
    });
    let language: string | undefined = 'de-CH';
    const latchkey = createLatchkey(address, { locale: () => language });
    await latchkey.methods();
    await latchkey.forgotPassword({ email: freshAddress() });
    language = undefined;
    await latchkey.methods();

    const [silent] = heard.pop() as (typeof heard)[number];
    expect(heard).toEqual([
      ['de-CH', undefined],
      ['de-CH', 'application/json'],
    ]);
    // That of the platform, which in Node is any.
    expect(silent).toBe('*');
  });
});

describe('page', () => {
  it('is the address of a page of the service, and leads back', () => {
    const latchkey = createLatchkey('https://api.example.com/base/');

    expect(latchkey.page('signup')).toBe('https://api.example.com/base/ui/signup');
    expect(latchkey.page('login', 'https://app.example.com/a?b=c&d')).toBe(
      'https://api.example.com/base/ui/login?return_to=https%3A%2F%2Fapp.example.com%2Fa%3Fb%3Dc%26d',
    );
  });

  it('may be in a language that the product names', () => {
    const latchkey = createLatchkey('https://api.example.com');

    expect(latchkey.page('login', 'https://app.example.com', { locale: 'de' })).toBe(
      'https://api.example.com/ui/login?return_to=https%3A%2F%2Fapp.example.com&ui_locales=de',
    );
    expect(latchkey.page('account', undefined, { locale: 'pt-BR' })).toBe(
      'https://api.example.com/ui/account?ui_locales=pt-BR',
    );
    expect(latchkey.page('account', undefined, {})).toBe('https://api.example.com/ui/account');
  });
});
