import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLatchkey } from '../../src/client/latchkey.js';
import { clientFor, sessionFrom } from '../../src/client/server.js';
import { loggedIn } from '../support/accounts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await TestApp.start();
  url = `http://127.0.0.1:${await app.listen()}`;
});
afterAll(() => app.close());

const cookieOf = ({ jar }: { jar: Map<string, string> }) => [...jar].map((pair) => pair.join('=')).join('; ');
const readings = () => app.log.filter((line) => line.includes('"route":"/users/me"')).length;

describe('sessionFrom', () => {
  it.each<[string, (cookie: string) => Parameters<typeof sessionFrom>[0]]>([
    [
      'a request of the web, as SvelteKit has it',
      (cookie) => new Request('http://app', { headers: { cookie } }),
    ],
    ['headers of the web, as Next has them', (cookie) => new Headers({ cookie })],
    ['a request of Node', (cookie) => ({ headers: { cookie, accept: ['text/html'] } })],
    ['headers as an object, as Nuxt has them', (cookie) => ({ cookie })],
  ])('knows who makes %s', async (_, request) => {
    const ada = await loggedIn(app);

    const session = await sessionFrom(request(cookieOf(ada)), url);

    expect(session).toMatchObject({ status: 'in', user: { email: ada.email }, session: { current: true } });
    expect(JSON.parse(JSON.stringify(session))).toEqual(session);
  });

  it('says that nobody is logged in, without a question where there is no cookie', async () => {
    expect(await sessionFrom(new Headers({ cookie: 'session_id=none; other=1' }), url)).toEqual({
      status: 'out',
    });
    const before = readings();

    expect(await sessionFrom(new Headers(), url)).toEqual({ status: 'out' });
    expect(readings()).toBe(before);
  });

  it('leaves the question to the browser where the service does not answer', async () => {
    const ada = await loggedIn(app);

    expect(await sessionFrom(new Headers({ cookie: cookieOf(ada) }), 'http://127.0.0.1:1')).toEqual({
      status: 'loading',
    });
  });

  it('knows nothing of a visitor whose cookies make the service refuse the request', async () => {
    const cookie = `session_id=none; filler=${'x'.repeat(20_000)}`;

    expect(await sessionFrom(new Headers({ cookie }), url)).toEqual({ status: 'loading' });
  });

  it('follows no redirect, so that the cookies reach the service alone', async () => {
    const ada = await loggedIn(app);
    const paths: string[] = [];
    const elsewhere = createServer(({ url: path = '' }, response) => {
      paths.push(path);
      response.writeHead(302, { location: `${url}${path}` }).end();
    });
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const before = readings();

    const session = await sessionFrom(new Headers({ cookie: cookieOf(ada) }), address);
    elsewhere.close();

    expect(session).toEqual({ status: 'loading' });
    expect(paths).toEqual(['/users/me']);
    expect(readings()).toBe(before);
  });

  it('gives each visitor a client of their own, whose answers nobody keeps', async () => {
    const [ada, grace] = [await loggedIn(app), await loggedIn(app)];
    const caches: unknown[] = [];
    const spy: typeof fetch = (address, init) => {
      caches.push((init as { cache?: string }).cache);
      return fetch(address, init);
    };
    const emails = await Promise.all(
      [ada, grace].map(async (visitor) => {
        const client = clientFor(new Headers({ cookie: cookieOf(visitor) }), url, { fetch: spy });
        return (await client.me()).user.email;
      }),
    );

    expect(emails).toEqual([ada.email, grace.email]);
    expect(caches).toEqual(['no-store', 'no-store']);
  });
});

describe('a client with an initial session', () => {
  it('begins with it, and asks the service once it is followed', async () => {
    const ada = await loggedIn(app);
    const initial = await sessionFrom(new Headers({ cookie: cookieOf(ada) }), url);
    const { session } = createLatchkey(url, { initial });
    expect([session.getSnapshot(), session.getServerSnapshot()]).toEqual([initial, initial]);

    const unfollow = session.subscribe(() => {});
    await until(() => session.getSnapshot().status === 'out');
    unfollow();

    expect(session.getServerSnapshot()).toBe(initial);
  });
});
